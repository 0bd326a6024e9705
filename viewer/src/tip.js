// A small text beside the pointer. It goes when the pointer leaves, and when anything is done: a press, a key, scrolling, another window.
import {el} from './text.js';

const ENDS = ['pointerdown', 'keydown', 'wheel', 'scroll', 'blur'];

export class Tip {
  /** Within `container`, which positions what it holds. */
  constructor(container, name = '') {
    this.container = container;
    this.element = el('div', {class: `tip ${name}`, role: 'tooltip', hidden: true});
    container.append(this.element);
    for (const type of ENDS) window.addEventListener(type, () => this.hide(), {capture: true, passive: true});
  }

  /** Above the pointer, or below where that would be far outside. A finger has no place to rest: it gets none. */
  show(text, event) {
    if (!text || event.pointerType === 'touch') return this.hide();
    this.element.textContent = text;
    this.element.hidden = false;
    const box = this.container.getBoundingClientRect(), {offsetWidth, offsetHeight} = this.element;
    const left = Math.min(event.clientX - box.left + 12, box.width - offsetWidth - 8);
    const above = event.clientY - box.top - offsetHeight - 10;
    this.element.style.transform = `translate(${Math.max(4, left)}px, ${above > -40 ? above : event.clientY - box.top + 18}px)`;
  }

  hide() {
    this.element.hidden = true;
  }
}
