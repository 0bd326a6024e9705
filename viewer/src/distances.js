// Distances at one configuration, measured by the program that serves the page.

/** What a page says that nobody answers. */
export const NO_ANSWER = 'A page that is a file cannot measure: open the scene by “proven view SCENE [PATH]”, whose page can.';

export class Distances {
  constructor(doc) {
    this.available = Boolean(doc.answers || doc.session?.live);
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
    let answer;
    try {
      const response = await fetch(`/distances${location.search}&q=${values.join(',')}`);
      answer = response.ok ? await response.json() : {error: (await response.text()).trim()};
    } catch {
      answer = {error: 'The program that served this page no longer answers.'};
    }
    this.busy = false;
    show(answer);
    if (this.next) this.send();
  }
}
