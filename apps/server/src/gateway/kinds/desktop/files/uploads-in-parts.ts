import { randomUUID } from 'node:crypto'
import { awaitedLater } from '../../../../kernel/background.ts'
import { AppError } from '../../../../kernel/errors/app-error.ts'
import { FolderRefusal, type SharedEntry } from './shared-folder.ts'

/** Between two parts; then the upload counts as given up. */
const WAIT_MS = 60_000
/** Uploads of one session that have begun. */
const MAX_UPLOADS = 16

/** Takes a whole file. */
type Receive = (name: string, content: AsyncIterable<Buffer>) => Promise<SharedEntry>

export interface UploadPart {
  name: string
  /** The upload that it goes on with; undefined for the first part. */
  upload: string | undefined
  /** Offset of the part. */
  offset: number
  /** Another part follows. */
  more: boolean
  body: AsyncIterable<Buffer>
}

/** A request may take 60 seconds: a page sends a large file in several. They are one upload, with one row in the log. */
export class UploadsInParts {
  readonly #receive: Receive
  readonly #uploads = new Map<string, Upload>()

  constructor(receive: Receive) {
    this.#receive = receive
  }

  /** The file after its last part; before, how its upload is called. Throws as what receives it, and 409. */
  async take({ name, upload, offset, more, body }: UploadPart): Promise<SharedEntry | string> {
    const id = upload ?? this.#begin(name)
    const file = await this.#uploads.get(id)?.take({ offset, more, body })
    if (file) return file
    if (!this.#uploads.has(id)) throw brokenOff()
    return id
  }

  /** Gives up the uploads that have begun. */
  close(): void {
    for (const one of this.#uploads.values()) one.giveUp()
  }

  #begin(name: string): string {
    if (this.#uploads.size >= MAX_UPLOADS) throw new FolderRefusal('full')
    const id = randomUUID()
    const begun = new Upload((content) => this.#receive(name, content))
    this.#uploads.set(id, begun)
    const forget = () => void this.#uploads.delete(id)
    begun.whole.then(forget, forget)
    return id
  }
}

/** An upload in several requests, as the content of one file. */
class Upload {
  readonly whole: Promise<SharedEntry>
  #next = nextPart()
  #isTaking = false
  #wait: NodeJS.Timeout | undefined
  /** Bytes that have come. */
  #size = 0

  constructor(receive: (content: AsyncIterable<Buffer>) => Promise<SharedEntry>) {
    this.whole = awaitedLater(receive(this.#content()).finally(() => clearTimeout(this.#wait)))
  }

  /** Settles once the part is stored; the file after the last. */
  async take({ offset, more, body }: Pick<UploadPart, 'offset' | 'more' | 'body'>): Promise<SharedEntry | undefined> {
    if (this.#isTaking) throw brokenOff()
    clearTimeout(this.#wait)
    if (offset !== this.#size) {
      this.giveUp()
      throw brokenOff()
    }
    this.#isTaking = true
    const stored = Promise.withResolvers<undefined>()
    this.#next.resolve({ body, more, stored: () => stored.resolve(undefined) })
    const file = await Promise.race([this.whole, ...(more ? [stored.promise] : [])])
    this.#isTaking = false
    if (more) this.#wait = setTimeout(() => this.giveUp(), WAIT_MS).unref()
    return file
  }

  /** Unless a part is on its way, which then says itself what becomes of it. */
  giveUp(): void {
    this.#next.reject(new FolderRefusal('missing'))
  }

  async *#content(): AsyncGenerator<Buffer> {
    for (let more = true; more; ) {
      const part = await this.#next.promise
      this.#next = nextPart()
      for await (const bytes of part.body) {
        this.#size += bytes.length
        yield bytes
      }
      part.stored()
      more = part.more
    }
  }
}

interface ComingPart extends Pick<UploadPart, 'more' | 'body'> {
  stored: () => void
}

function nextPart(): PromiseWithResolvers<ComingPart> {
  const next = Promise.withResolvers<ComingPart>()
  // One that is given up may wait for nothing any more.
  next.promise.catch(() => {})
  return next
}

const brokenOff = () => new AppError(409, 'wrong_offset', 'The upload was broken off: start it again')
