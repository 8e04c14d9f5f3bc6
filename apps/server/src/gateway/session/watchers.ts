import { inBackground } from '../../kernel/background.ts'

/** A watcher that is further behind is shown the screen again instead of everything in between. */
const BACKLOG_BYTES = 512 * 1024
/** Watchers that were behind are looked after this often. */
const CATCH_UP_MS = 250
/** Everything shown goes out once for each of them. */
const MAX_WATCHERS = 32

export interface Watcher<Size> {
  write(bytes: Buffer): void
  /** Bytes sent and not yet taken. */
  backlog(): number
  resize(size: Size): void
  close(): void
}

interface Watched {
  /** The whole screen with its modes, see `ScreenState.whole`. */
  whole(): Promise<Buffer | undefined>
  /** Less, but at once. */
  newest(): Buffer
}

interface State {
  /** Has missed something. */
  behind: boolean
  /** Output since the screen was asked for. */
  since?: Buffer[] | undefined
  sinceBytes: number
}

/** Those who look at a session without working in it. None of them ever makes it wait. */
export class Watchers<Size> {
  readonly #watched: Watched
  readonly #all = new Map<Watcher<Size>, State>()
  #catchUp: NodeJS.Timeout | undefined

  constructor(watched: Watched) {
    this.#watched = watched
  }

  /**
   * Shows the session from its current state. Returns how to stop; undefined when there is no room.
   */
  add(watcher: Watcher<Size>, size: Size): (() => void) | undefined {
    if (this.#all.size >= MAX_WATCHERS) return undefined
    const state: State = { behind: false, sinceBytes: 0 }
    this.#all.set(watcher, state)
    watcher.resize(size)
    inBackground(this.#present(watcher, state))
    return () => this.#all.delete(watcher)
  }

  write(bytes: Buffer): void {
    for (const [watcher, state] of this.#all) {
      if (state.since) {
        state.sinceBytes += bytes.length
        if (state.sinceBytes <= BACKLOG_BYTES) state.since.push(bytes)
      } else if (state.behind || watcher.backlog() > BACKLOG_BYTES) {
        state.behind = true
        this.#catchUp ??= setInterval(() => this.#catchAllUp(), CATCH_UP_MS)
      } else watcher.write(bytes)
    }
  }

  resize(size: Size): void {
    for (const watcher of this.#all.keys()) watcher.resize(size)
  }

  /** The session is over: everybody sees its last words. */
  close(): void {
    clearInterval(this.#catchUp)
    for (const [watcher, { behind, since }] of this.#all) {
      if (behind || since) watcher.write(this.#watched.newest())
      watcher.close()
    }
    this.#all.clear()
  }

  async #present(watcher: Watcher<Size>, state: State): Promise<void> {
    state.since = []
    state.sinceBytes = 0
    const screen = await this.#watched.whole()
    if (this.#all.get(watcher) !== state) return
    const { since, sinceBytes } = state
    state.since = undefined
    // More came meanwhile than is kept: then what there is of it at once.
    watcher.write(
      screen && sinceBytes <= BACKLOG_BYTES ? Buffer.concat([screen, ...(since ?? [])]) : this.#watched.newest(),
    )
  }

  #catchAllUp(): void {
    let behind = 0
    for (const [watcher, state] of this.#all) {
      if (!state.behind) continue
      if (watcher.backlog() > BACKLOG_BYTES) behind++
      else {
        state.behind = false
        inBackground(this.#present(watcher, state))
      }
    }
    if (behind) return
    clearInterval(this.#catchUp)
    this.#catchUp = undefined
  }
}
