// Distances at one configuration, measured by the program that serves the page, or by the page around this one.

/** What a page says that nobody answers. */
export const NO_ANSWER = 'A page that is a file cannot measure: open the scene by “proven view SCENE [PATH]”, whose page can.';

export class Distances {
  constructor(doc) {
    this.available = Boolean(doc.answers || doc.session?.live);
    this.fromPage = doc.answers === 'page';
    window.addEventListener('message', ({source, data}) => {
      if (source === window.parent && data?.measured) this.heard?.(data.measured);
    });
  }

  /**
   * Asks for values of all channels. `show` gets the answer: {hash, pairs: [{pair, distance, lower, points,
   * inside}]}, the nearest first, or {error}. One question is on its way at a time; of those that wait only
   * the newest is asked.
   */
  ask(values, show) {
    this.next = {values: Array.from(values), show};
    if (!this.busy) this.send();
  }

  async send() {
    const {values, show} = this.next;
    this.next = null;
    this.busy = true;
    const answer = await (this.fromPage ? this.askPage(values) : this.askServer(values));
    this.busy = false;
    show(answer);
    if (this.next) this.send();
  }

  async askServer(values) {
    try {
      const response = await fetch(`/distances${location.search}&q=${values.join(',')}`);
      return response.ok ? await response.json() : {error: (await response.text()).trim()};
    } catch {
      return {error: 'The program that served this page no longer answers.'};
    }
  }

  askPage(values) {
    window.parent.postMessage({measure: values.join(',')}, '*');
    return new Promise((resolve) => (this.heard = resolve));
  }
}
