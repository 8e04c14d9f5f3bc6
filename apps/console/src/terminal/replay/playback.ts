/** Plays a recording onto a screen: what comes when, at which speed, from where. Knows no DOM. */
import type { PlaybackScreen } from './playback-screen.ts'
import { partAt, type Recording, type ReplayEvent, sizeOf } from './recording.ts'

/** Pauses longer than this are cut to it when idle time is skipped. */
const IDLE_LIMIT_S = 2
export const SPEED = { min: 1, max: 32, step: 1, initial: 2 } as const
/** A page that was hidden, or a machine that slept, does not catch up. */
const MAX_STEP_MS = 250
/** A moment before another. */
const A_LITTLE_S = 0.001
/** With more text than this waiting for the screen, time stands still. */
const MAX_BACKLOG = 1_000_000

export type PlaybackState = 'playing' | 'paused' | 'loading' | 'ended' | 'failed'

export class Playback {
  readonly #recording: Recording
  readonly #screen: PlaybackScreen
  #onChange: () => void
  #time = 0
  #speed: number = SPEED.initial
  #skipIdle = true
  #playing = false
  #error: Error | undefined
  /** The piece on the screen; undefined before the first is there. */
  #part: { n: number; events: readonly ReplayEvent[] } | undefined
  /** Its next event. */
  #next = 0
  #lastEvent = 0
  #wanted: number | undefined
  #seeking = false
  /** Waiting for the piece that follows; another object each time. */
  #stall: object | undefined

  constructor(recording: Recording, screen: PlaybackScreen, onChange: () => void = () => {}) {
    this.#recording = recording
    this.#screen = screen
    this.#onChange = onChange
  }

  /** Seconds of the recording. */
  get time(): number {
    return this.#time
  }
  get speed(): number {
    return this.#speed
  }
  get skipIdle(): boolean {
    return this.#skipIdle
  }
  /** Why it stopped, in state `failed`. */
  get error(): Error | undefined {
    return this.#error
  }
  get state(): PlaybackState {
    if (this.#error) return 'failed'
    if (this.#seeking || this.#stall) return 'loading'
    if (this.#playing) return 'playing'
    return this.#part && this.#time >= this.#recording.duration ? 'ended' : 'paused'
  }
  /** Whether it plays, or will when what it waits for is there. */
  get isOn(): boolean {
    return this.#playing
  }

  /** Goes on; from the beginning when it was at the end. */
  play(): void {
    this.#playing = true
    if (!this.#part || this.#error || this.#time >= this.#recording.duration)
      this.seek(this.#part && !this.#error ? 0 : this.#time)
    this.#onChange()
  }

  /** Jumps and goes on from there; at the end there is nothing to go on with. */
  playFrom(seconds: number): void {
    this.#playing = seconds < this.#recording.duration
    this.seek(seconds)
  }

  pause(): void {
    this.#playing = false
    this.#onChange()
  }

  toggle(): void {
    if (this.#playing) this.pause()
    else this.play()
  }

  setSpeed(speed: number): void {
    this.#speed = Math.min(Math.max(speed, SPEED.min), SPEED.max)
    this.#onChange()
  }

  setSkipIdle(skip: boolean): void {
    this.#skipIdle = skip
    this.#onChange()
  }

  /** Jumps to a moment. When another is wanted before the first is there, only the last counts. */
  seek(seconds: number): void {
    this.#wanted = Math.min(Math.max(seconds, 0), this.#recording.duration)
    this.#time = this.#wanted
    this.#error = undefined
    this.#stall = undefined
    if (!this.#seeking) void this.#reach()
    this.#onChange()
  }

  /**
   * Stops at the next moment at which something changes, or at the one before. Within a piece that is there;
   * from its edge, at the beginning of the one after it or at the end of that before.
   */
  step(direction: 1 | -1): void {
    this.pause()
    if (!this.#part) return
    const { n, events } = this.#part
    const times = events.map(({ time }) => time)
    const next =
      direction > 0
        ? (times.find((time) => time > this.#time) ?? this.#recording.parts[n + 1]?.time ?? this.#recording.duration)
        : (times.findLast((time) => time < Math.min(this.#time, this.#lastEvent)) ?? this.#before(n))
    this.seek(next)
  }

  /** The moment before a piece, if only by a little. */
  #before(n: number): number {
    const { time } = this.#recording.parts[n] as Recording['parts'][number]
    return n === 0 ? 0 : Math.min(time, this.#time) - A_LITTLE_S
  }

  /** Lets so much time of the clock on the wall pass. */
  tick(elapsedMs: number): void {
    if (!this.#playing || this.#seeking || this.#stall || !this.#part || this.#screen.backlog() > MAX_BACKLOG) return
    this.#time += (Math.min(elapsedMs, MAX_STEP_MS) / 1000) * this.#speed
    this.#advance()
    this.#onChange()
  }

  async #reach(): Promise<void> {
    this.#seeking = true
    try {
      while (this.#wanted !== undefined) {
        const target = this.#wanted
        const n = partAt(this.#recording.parts, target)
        // Forward within the piece nothing has to be drawn again.
        if (this.#part?.n !== n || target < this.#lastEvent) {
          const [contents, events] = await Promise.all([this.#recording.screen(n), this.#recording.piece(n)])
          if (this.#wanted !== target) continue
          const { time, cols, rows } = this.#recording.parts[n] as Recording['parts'][number]
          this.#screen.reset({ cols, rows }, contents)
          this.#lastEvent = time
          this.#enter(n, events)
        }
        this.#wanted = undefined
        this.#showUntil(target)
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#seeking = false
      this.#onChange()
    }
  }

  #enter(n: number, events: readonly ReplayEvent[]): void {
    this.#part = { n, events }
    this.#next = 0
    // The next piece is there when it is needed; when it fails, the error appears when it is needed.
    if (n + 1 < this.#recording.parts.length) this.#recording.piece(n + 1).catch(() => {})
  }

  /** Shows what is due at `#time`, over the ends of pieces and idle times. */
  #advance(): void {
    for (;;) {
      this.#showUntil(this.#time)
      const { n, events } = this.#part as { n: number; events: readonly ReplayEvent[] }
      const following = this.#recording.parts[n + 1]
      const upcoming = events[this.#next]?.time ?? following?.time
      if (upcoming === undefined) {
        this.#time = this.#recording.duration
        this.#playing = false
        return
      }
      if (upcoming <= this.#time) {
        this.#continueWith(n + 1, upcoming)
        return
      }
      const isIdle = upcoming - this.#lastEvent > IDLE_LIMIT_S && this.#time - this.#lastEvent >= IDLE_LIMIT_S
      if (!this.#skipIdle || !isIdle) return
      this.#time = upcoming
    }
  }

  /** What follows is in the next piece: usually it is there already. */
  #continueWith(n: number, from: number): void {
    const stall = {}
    this.#stall = stall
    const wanted = this.#time
    this.#time = from
    const isOver = () => this.#stall !== stall
    this.#recording
      .piece(n)
      .then((events) => {
        if (isOver()) return
        this.#stall = undefined
        this.#enter(n, events)
        this.#time = wanted
        this.#advance()
      })
      .catch((error) => isOver() || this.#fail(error))
      .finally(this.#onChange)
  }

  #showUntil(seconds: number): void {
    const events = this.#part?.events ?? []
    let text = ''
    for (let event = events[this.#next]; event && event.time <= seconds; event = events[++this.#next]) {
      this.#lastEvent = event.time
      if (event.code === 'o') {
        text += event.data
        continue
      }
      if (text) this.#screen.write(text)
      text = ''
      const size = sizeOf(event)
      if (size) this.#screen.resize(size)
    }
    if (text) this.#screen.write(text)
  }

  #fail(error: unknown): void {
    this.#stall = undefined
    this.#wanted = undefined
    this.#playing = false
    this.#error = error instanceof Error ? error : new Error(String(error))
  }
}
