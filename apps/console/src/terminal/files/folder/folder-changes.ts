/** Tells the panes which folder has changed. */
export class FolderChanges {
  readonly #listeners = new Set<(folder: string) => void>()

  listen(listener: (folder: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  say = (folder: string): void => {
    for (const listener of this.#listeners) listener(folder)
  }
}
