/** Pictures out of a bundle, as addresses that an <img> can show. The oldest are let go of. */

/** How many pictures stay decoded at a time. */
const MAX_PICTURES = 400;

export class Pictures {
  readonly #urls = new Map<string, Promise<string>>();

  constructor(private readonly read: (path: string) => Promise<Uint8Array<ArrayBuffer>>) {}

  url(path: string): Promise<string> {
    const known = this.#urls.get(path);
    if (known) {
      this.#urls.delete(path);
      this.#urls.set(path, known);
      return known;
    }
    const made = this.read(path).then((bytes) => URL.createObjectURL(new Blob([bytes], { type: 'image/png' })));
    this.#urls.set(path, made);
    made.catch(() => this.#urls.delete(path));
    for (const oldest of this.#urls.keys()) {
      if (this.#urls.size <= MAX_PICTURES) break;
      this.#drop(oldest);
    }
    return made;
  }

  clear(): void {
    for (const path of [...this.#urls.keys()]) this.#drop(path);
  }

  #drop(path: string): void {
    const url = this.#urls.get(path);
    this.#urls.delete(path);
    url?.then(URL.revokeObjectURL, () => undefined);
  }
}
