import { RecordingClock } from '../../recording/recording-clock.ts'
import { RecordingFile, type RecordingWriter } from '../../recording/recording-file.ts'
import type { Picture } from './picture/picture.ts'
import { View } from './picture/view.ts'

export interface DesktopLogHeader {
  title: string
  startedAt: Date
  /** Monotonic clock, in milliseconds. */
  now?: () => number
}

/** Event beside the picture that a person who replays the session looks for. */
export interface DesktopMarker {
  kind: 'copy' | 'paste' | 'notice' | 'size' | 'keys' | 'upload' | 'download'
  /** Characters of a clipboard. */
  characters?: number
  /** Files on a clipboard. */
  files?: number
  /** Keys that were pressed since the last marker of them; never which. */
  count?: number
  /** It was not let through. */
  refused?: true
  /**
   * Text that it is found by: the name of a file; the content of a clipboard only where a setting
   * says so.
   */
  text?: string
}

/** Pictures a second at most. */
const FRAME_MS = 100
/** A desktop that moves without end is recorded with fewer pictures, at this rate. */
const BYTES_A_MS = 1500
/** A whole picture comes at least so often where something changes … */
const KEY_MS = 30_000
/** … or after so much. */
const KEY_BYTES = 4 * 1024 * 1024
/** For so long are keys counted before their number is noted. */
const COUNT_MS = 10_000

/**
 * Records a desktop: a header, then `[seconds, "o", update]` for what changed, an update of RFB in
 * base64 that needs nothing but the picture before, `[seconds, "k", size]` where a whole picture
 * begins, `[seconds, "w", ""]` where it is complete, and `[seconds, "m", marker]`. The picture is
 * taken as others see it, ten times a second at most: what was painted over in between is not kept.
 */
export class DesktopLog {
  readonly #writer: RecordingWriter
  readonly #clock: RecordingClock
  readonly #now: () => number
  readonly #frame: FrameOf
  #view: View | undefined
  #picture: Picture | undefined
  #detach = () => {}
  #timer: NodeJS.Timeout | undefined
  #nextAt = 0
  #keyAt = Number.NEGATIVE_INFINITY
  #sinceKey = 0
  #inKey = false
  #pressed = 0
  #counting: NodeJS.Timeout | undefined

  private constructor(writer: RecordingWriter, { startedAt, now }: DesktopLogHeader, frame: FrameOf) {
    this.#writer = writer
    this.#clock = new RecordingClock(startedAt, now)
    this.#now = now ?? (() => performance.now())
    this.#frame = frame
  }

  /** Throws when the recording can't be written. */
  static async open(path: string, header: DesktopLogHeader, frame: FrameOf): Promise<DesktopLog> {
    const timestamp = Math.floor(header.startedAt.getTime() / 1000)
    const writer = await RecordingFile.open(path, { version: 1, kind: 'desktop', timestamp, title: header.title })
    return new DesktopLog(writer, header, frame)
  }

  get path(): string {
    return this.#writer.path
  }

  /** See `RecordingWriter`. */
  set onFailure(then: (error: Error) => void) {
    this.#writer.onFailure = then
  }

  /** See `RecordingWriter`. */
  set onDrain(then: () => void) {
    this.#writer.onDrain = then
  }

  /** Begins to record that picture. */
  begin(picture: Picture): void {
    this.#picture = picture
    this.#view = new View(picture)
    this.#detach = picture.attach(this.#view)
  }

  /** The picture changed. `onBehind` is called when the disk can't keep up: wait for `onDrain`. */
  changed(onBehind: () => void): void {
    if (this.#timer || !this.#view?.isDue) return
    const wait = Math.max(0, this.#nextAt - this.#now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (!this.#write()) onBehind()
      this.changed(onBehind)
    }, wait)
  }

  mark(marker: DesktopMarker): void {
    this.#line('m', marker)
  }

  /** A key was pressed; how many were is noted every ten seconds. */
  pressed(): void {
    this.#pressed++
    this.#counting ??= setTimeout(() => this.#noteKeys(), COUNT_MS)
  }

  async close(): Promise<void> {
    this.#noteKeys()
    this.#stop()
    // The last picture is the last word.
    while (this.#view?.isDue) this.#write()
    await this.#writer.close()
  }

  async discard(): Promise<void> {
    this.#stop()
    await this.#writer.discard()
  }

  #noteKeys(): void {
    clearTimeout(this.#counting)
    this.#counting = undefined
    if (this.#pressed) this.mark({ kind: 'keys', count: this.#pressed })
    this.#pressed = 0
  }

  #stop(): void {
    clearTimeout(this.#counting)
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#detach()
  }

  /** Writes some of what changed; false when the disk is behind. */
  #write(): boolean {
    const view = this.#view as View
    const now = this.#now()
    const isKeyDue = !this.#inKey && (now - this.#keyAt >= KEY_MS || this.#sinceKey >= KEY_BYTES)
    if (isKeyDue || view.takeSize()) this.#beginKey(view)
    const taken = view.take()
    const ready = taken ? this.#line('o', this.#frame.update(taken).toString('base64')) : true
    const bytes = taken?.bytes.length ?? 0
    this.#sinceKey += bytes
    if (this.#inKey && view.isComplete) {
      this.#inKey = false
      this.#sinceKey = 0
      this.#line('w', '')
    }
    // The rest of a whole picture follows at once.
    this.#nextAt = this.#inKey ? now : now + Math.max(FRAME_MS, bytes / BYTES_A_MS)
    return ready
  }

  #beginKey(view: View): void {
    const { width, height } = this.#picture as Picture
    view.everything()
    view.takeSize()
    this.#inKey = true
    this.#keyAt = this.#now()
    this.#line('k', `${width}x${height}`)
    this.#line('o', this.#frame.size({ width, height }).toString('base64'))
  }

  #line(event: string, data: unknown): boolean {
    return this.#writer.append(`[${this.#clock.seconds},${JSON.stringify(event)},${JSON.stringify(data)}]\n`)
  }
}

/** How what changed is put into words of RFB. */
export interface FrameOf {
  update(taken: { count: number; bytes: Buffer }): Buffer
  size(size: { width: number; height: number }): Buffer
}
