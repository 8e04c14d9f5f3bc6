import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { relative } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { type RecordingStore, recordingStore, replayFolder } from '../../domains/terminal/recording/index.ts'
import { inBackground } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Slots } from '../../kernel/slots.ts'
import { type Manifest, manifestName, type Segment, segmentName } from './manifest.ts'

/**
 * How often new lines are uploaded: together with the flush and the upload itself, less than ten
 * seconds are lost with a node and its disk.
 */
const SEND_MS = 3000
/** Longest segment; a longer backlog is sent in several. */
const MAX_BYTES = 8 * 1024 * 1024
/** This many small segments are uploaded again as one. */
const JOIN_AT = 40
const SMALL_BYTES = 128 * 1024
/** Larger segments, of all sessions of this node, are in memory at a time: after an hour without the store each has one. */
const LARGE_AT_ONCE = 4
const large = new Slots(LARGE_AT_ONCE)

/**
 * Uploads a recording while it is written: whole lines as segments, and a manifest that lists them.
 * What cannot be sent is sent later; the session does not wait for it. A recording in which nothing
 * happens costs nothing.
 */
export class RecordingUpload {
  readonly #store: RecordingStore
  readonly #path: string
  readonly #log: FastifyBaseLogger
  readonly #manifest: Manifest
  readonly #timer: NodeJS.Timeout
  #announced = false
  #away = false
  #sending: Promise<void> | undefined

  /** `recording`: its name; `path`: where it is written. */
  constructor(store: RecordingStore, recording: string, path: string, log: FastifyBaseLogger) {
    this.#store = store
    this.#path = path
    this.#log = log
    this.#manifest = { version: 1, recording, segments: [] }
    this.#timer = setInterval(() => inBackground(this.send()), SEND_MS)
  }

  /** Uploads what is in the file by now. Never throws. */
  send(): Promise<void> {
    this.#sending ??= this.#sendNew()
      .then(
        () => {
          if (this.#away)
            this.#log.info({ recording: this.#manifest.recording }, 'recording is sent to the store again')
          this.#away = false
        },
        (error: unknown) => {
          if (!this.#away)
            this.#log.error({ err: error, recording: this.#manifest.recording }, 'recording waits for the store')
          this.#away = true
        },
      )
      .finally(() => {
        this.#sending = undefined
      })
    return this.#sending
  }

  /** Uploads nothing more; settles when the upload in progress has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sending
  }

  async #sendNew(): Promise<void> {
    const file = await open(this.#path)
    try {
      const { size } = await file.stat()
      if (this.#sent < size) await this.#announce()
      while (this.#sent < size) {
        const length = Math.min(size - this.#sent, MAX_BYTES)
        const send = async () => {
          const lines = await wholeLines(file, this.#sent, length)
          if (lines.length) await this.#sendSegment(lines)
          return lines.length > 0
        }
        if (!(await (length > SMALL_BYTES ? large.use(send) : send()))) return
      }
      await this.#joinSmall(file)
    } finally {
      await file.close()
    }
  }

  get #sent(): number {
    const last = this.#manifest.segments.at(-1)
    return last ? last.from + last.bytes : 0
  }

  /**
   * The manifest comes first, so that no segment is in the store without anything that leads to it. While the store is
   * away it asks whether it is back: what waits may be large, and is read only once somebody takes it.
   */
  async #announce(): Promise<void> {
    if (this.#announced && !this.#away) return
    await this.#sendManifest(this.#manifest.segments)
    this.#announced = true
  }

  async #sendSegment(lines: Buffer): Promise<void> {
    const segment = this.#segment(this.#sent, lines)
    await this.#store.put(segment.name, lines)
    await this.#sendManifest([...this.#manifest.segments, segment])
  }

  /** Keeps the manifest of a long session short. */
  async #joinSmall(file: FileHandle): Promise<void> {
    const { segments } = this.#manifest
    const small = segments.slice(segments.findLastIndex(({ bytes }) => bytes >= SMALL_BYTES) + 1)
    const [first] = small
    if (!first || small.length < JOIN_AT) return
    const length = this.#sent - first.from
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, first.from)
    const joined = this.#segment(first.from, buffer)
    await this.#store.put(joined.name, buffer)
    await this.#sendManifest([...segments.slice(0, -small.length), joined])
    for (const { name } of small) await this.#store.remove(name)
  }

  #segment(from: number, lines: Buffer): Segment {
    const { recording } = this.#manifest
    const bytes = lines.length
    const sha256 = createHash('sha256').update(lines).digest('hex')
    return { name: segmentName(recording, from, bytes), from, bytes, sha256, last: lastMoment(lines) }
  }

  async #sendManifest(segments: Segment[]): Promise<void> {
    const { recording } = this.#manifest
    await this.#store.put(manifestName(recording), Buffer.from(JSON.stringify({ ...this.#manifest, segments })))
    this.#manifest.segments = segments
  }
}

/** Uploads the recording at `path` while it is written; undefined if recordings stay on this node. */
export function uploadOf({ config, app }: Pick<Kernel, 'config' | 'app'>, path: string): RecordingUpload | undefined {
  const store = recordingStore(config)
  return store.ofThisNode ? undefined : new RecordingUpload(store, relative(replayFolder(config), path), path, app.log)
}

/** The whole lines among so many bytes; empty if there is not one. */
async function wholeLines(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
  return buffer.subarray(0, buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1)
}

/** Time of the last event in seconds; 0 for the header alone. */
function lastMoment(lines: Buffer): number {
  const begin = lines.lastIndexOf(0x0a, lines.length - 2) + 1
  return Number(/^\[([\d.]+),/.exec(lines.toString('utf8', begin, begin + 32))?.[1] ?? 0)
}
