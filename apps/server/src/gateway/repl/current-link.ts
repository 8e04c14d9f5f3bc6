import type { StreamEnd } from '../session/live-session.ts'
import type { Link } from './link.ts'

/** Another connection, to that database. Throws SessionRefusal and SshError. */
export type Connect = (database: string) => Promise<Link>

/** The connection that a terminal works on; another may take its place. */
export class CurrentLink {
  readonly #connect: Connect
  readonly #onEnd: (end: StreamEnd) => void
  readonly #holds = new Set<'session' | 'pager'>()
  #link: Link
  #isOver = false

  /** `onEnd` is called when the server ends the connection. */
  constructor(first: Link, connect: Connect, onEnd: (end: StreamEnd) => void) {
    this.#link = first
    this.#connect = connect
    this.#onEnd = onEnd
  }

  get now(): Link {
    return this.#link
  }

  /** Throws what the link throws. */
  start(): Promise<void> {
    const link = this.#link
    return link.start((end) => {
      if (this.#isOver || link !== this.#link) return
      this.#isOver = true
      this.#onEnd(end)
    })
  }

  /** Opens another, and ends this one once that is there, after `leave`. Nothing happens where all is over by then. */
  async change(database: string, leave: () => void = () => {}): Promise<void> {
    const old = this.#link
    const link = await this.#connect(database)
    if (this.#isOver) return link.close()
    leave()
    this.#link = link
    old.close()
    await this.start()
  }

  /** The server's answers wait as long as anybody holds them. */
  hold(why: 'session' | 'pager', isHeld: boolean): void {
    if (isHeld) {
      if (!this.#holds.size) this.#link.pause()
      this.#holds.add(why)
    } else if (this.#holds.delete(why) && !this.#holds.size) this.#link.resume()
  }

  close(): void {
    this.#isOver = true
    this.#link.cancel()
    this.#link.close()
  }
}
