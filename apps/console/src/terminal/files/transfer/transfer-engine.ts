/**
 * Moves the bytes of the queue: three transfers at a time, uploads in parts, copies by the gateway;
 * broken lines are gone on with at the byte.
 */
import { ApiError, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { copyFile, type Existing, findFile, remove, sendPart } from '../folder/files-api.ts'
import { joined, nameOf, parentOf } from '../folder/paths.ts'
import { Destinations, freePath } from './destinations.ts'
import { forgetUpload, keepUpload, wasKept } from './kept-uploads.ts'
import {
  type ConflictAnswer,
  changeQueue,
  EMPTY_QUEUE,
  FIRST_PART,
  isUnderWay,
  nextPart,
  type Queue,
  type QueueAction,
  startable,
  type Transfer,
} from './queue.ts'

/** Pages are drawn again at most this often while bytes move. */
const DRAW_MS = 100
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 20_000

export interface UploadItem {
  /** Relative to the folder that it goes to; folders in it are made. */
  path: string
  file: File
}

export interface EngineOptions {
  userId: string
  /** Something in this folder has changed. */
  onChanged: (folder: string) => void
  onSignedOut: () => void
}

export class TransferEngine {
  readonly #options: EngineOptions
  readonly #files = new Map<number, File>()
  readonly #running = new Map<number, AbortController>()
  readonly #destinations: Destinations
  readonly #listeners = new Set<() => void>()
  #queue: Queue = EMPTY_QUEUE
  #drawing: ReturnType<typeof setTimeout> | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    this.#destinations = new Destinations(options.onChanged)
    addEventListener('online', () => this.#wake())
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  get queue(): Queue {
    return this.#queue
  }
  /** Changes only when pages should be drawn again. */
  shown: Queue = EMPTY_QUEUE
  snapshot = (): Queue => this.shown

  /**
   * Files from this computer into a folder. Returns how many of them go on with an upload from
   * before.
   */
  upload(folder: string, items: readonly UploadItem[]): number {
    const batch = this.#queue.nextBatch
    let begun = 0
    const drafts = items.map(({ path, file }) => {
      const to = joined(folder, path)
      const isKept = wasKept(this.#options.userId, { to, size: file.size, modified: file.lastModified })
      if (isKept) begun += 1
      return { kind: 'upload' as const, name: path, to, size: file.size, begun: isKept }
    })
    for (const [at, { file }] of items.entries()) this.#files.set(this.#queue.nextId + at, file)
    this.#act({ do: 'add', drafts, batch })
    return begun
  }

  /** Files of machines to other places; all at once are one batch when they share its number. */
  copy(files: readonly { from: string; to: string; size: number }[], batch?: number): number {
    const number = batch ?? this.#queue.nextBatch
    this.#act({
      do: 'add',
      batch: number,
      drafts: files.map((file) => ({ kind: 'copy', name: nameOf(file.from), ...file })),
    })
    return number
  }

  pause = (id?: number) => this.#act({ do: 'pause', ...(id === undefined ? {} : { id }) })
  resume = (id?: number) => this.#act({ do: 'resume', ...(id === undefined ? {} : { id }) })
  cancel = (id?: number) => this.#act({ do: 'cancel', ...(id === undefined ? {} : { id }) })
  retry = (id?: number) => this.#act({ do: 'retry', ...(id === undefined ? {} : { id }) })
  clear = () => this.#act({ do: 'clear' })
  answer = (id: number, answer: ConflictAnswer, forAll: boolean) => {
    if (!forAll) this.#single.set(id, answer)
    this.#act({ do: 'answer', id, answer, forAll })
  }
  /** Answers for one transfer. */
  readonly #single = new Map<number, ConflictAnswer>()

  /** Makes a folder; one that is there is as good. */
  folder = (path: string): Promise<void> => this.#destinations.makeFolder(path)

  #act(action: QueueAction): void {
    const before = this.#queue
    this.#queue = changeQueue(before, action)
    if (this.#queue === before) return
    for (const [id, stop] of this.#running) {
      if (this.#find(id)?.state !== 'running') stop.abort(new DOMException('stopped', 'AbortError'))
    }
    if (action.do === 'clear') {
      for (const id of this.#files.keys()) if (!this.#find(id)) this.#files.delete(id)
      if (!this.#queue.list.length) this.#destinations.clear()
    }
    if (action.do === 'cancel') this.#clearAway(before)
    this.#startNext()
    this.#draw(action.do === 'progress')
  }

  /** Those that did not run when they were cancelled; the others do it when they have stopped. */
  #clearAway(before: Queue): void {
    for (const { id, state } of before.list) {
      const one = this.#find(id)
      if (one?.state !== 'cancelled' || state === 'cancelled' || this.#running.has(id)) continue
      this.#forget(id)
      void this.#removeHalf(one)
    }
  }

  #draw(soon: boolean): void {
    const now = () => {
      clearTimeout(this.#drawing)
      this.#drawing = undefined
      this.shown = this.#queue
      for (const listener of this.#listeners) listener()
    }
    if (!soon) queueMicrotask(now)
    else this.#drawing ??= setTimeout(now, DRAW_MS)
  }

  #find = (id: number): Transfer | undefined => this.#queue.list.find((one) => one.id === id)

  #wake(): void {
    for (const { id, state } of this.#queue.list) if (state === 'lost') this.resume(id)
  }

  async #run(id: number): Promise<void> {
    const stop = new AbortController()
    this.#running.set(id, stop)
    try {
      const isOver = await this.#move(id, stop.signal)
      if (isOver) {
        this.#act({ do: 'done', id })
        this.#forget(id)
      }
    } catch (error) {
      if (!stop.signal.aborted) this.#failed(id, error)
    } finally {
      this.#running.delete(id)
      const one = this.#find(id)
      if (one?.begun) this.#options.onChanged(parentOf(one.to))
      if (one?.state === 'cancelled') this.#forget(id)
      if (one?.state === 'cancelled') void this.#removeHalf(one)
      // Its place is free now.
      this.#startNext()
      this.#draw(false)
    }
  }

  #startNext(): void {
    for (const { id } of startable(this.#queue)) {
      // It may still be letting go of its last try.
      if (this.#running.has(id)) continue
      this.#queue = changeQueue(this.#queue, { do: 'start', id })
      void this.#run(id)
    }
  }

  /** Nobody wants half of what was given up; what stood there before is not to be had back. */
  async #removeHalf({ to, begun, replace, sent, size }: Transfer): Promise<void> {
    if (!begun || replace || sent >= size) return
    await remove(to).catch(() => {
      // It was not there yet, or the line is gone: a half file is what any broken transfer leaves.
    })
    this.#options.onChanged(parentOf(to))
  }

  #forget(id: number): void {
    const one = this.#find(id)
    if (one?.kind === 'upload') forgetUpload(this.#options.userId, one.to)
    if (one?.state === 'done') this.#files.delete(id)
  }

  #failed(id: number, error: unknown): void {
    if (error instanceof ApiError && error.status === 401) {
      this.#act({ do: 'pause' })
      this.#options.onSignedOut()
      return
    }
    if (error instanceof ApiError && error.code === 'file_exists') {
      // Somebody else made it between the look and the first byte: nothing of it is ours.
      const one = this.#find(id)
      if (one) this.#destinations.forget(one)
      this.#forget(id)
      this.#act({ do: 'conflict', id, existing: { kind: 'other', size: null, modified: null } })
      return
    }
    if (!mayPass(error)) {
      this.#act({ do: 'failed', id, error: errorText(error) })
      return
    }
    this.#act({ do: 'lost', id, error: errorText(error) })
    const losses = this.#find(id)?.losses ?? 1
    setTimeout(
      () => this.#find(id)?.state === 'lost' && this.resume(id),
      Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (losses - 1)),
    )
  }

  /** False when a person has to be asked, or nothing is to be done. */
  async #move(id: number, signal: AbortSignal): Promise<boolean> {
    const start = this.#find(id)
    if (!start) return false
    if (start.kind === 'upload') await this.#destinations.makeFolders(start)
    let there: Existing | undefined = start.begun
      ? await findFile(start.to)
      : await this.#destinations.existingAt(start)
    signal.throwIfAborted()
    if (!start.begun && there) {
      const answer = this.#single.get(id) ?? this.#queue.answers.get(start.batch)
      this.#single.delete(id)
      if (answer === 'skip') return this.#tell({ do: 'skipped', id })
      if (!answer || (answer === 'overwrite' && there.kind === 'folder'))
        return this.#tell({ do: 'conflict', id, existing: there })
      if (answer === 'keep') {
        this.#act({ do: 'begin', id, to: await freePath(start.to), replace: false })
        there = undefined
      } else {
        this.#act({ do: 'begin', id, to: start.to, replace: true })
        there = undefined
      }
    } else if (!start.begun) this.#act({ do: 'begin', id, to: start.to, replace: false })
    signal.throwIfAborted()
    const one = this.#find(id)
    if (!one) return false
    // The file at the machine is its own only from the second try on; more than there should be is
    // none of it.
    const offset = start.begun && there && (there.size ?? 0) <= one.size ? (there.size ?? 0) : 0
    const replace = one.replace || (start.begun && there !== undefined)
    this.#act({ do: 'progress', id, sent: offset })
    if (one.kind === 'copy') return this.#copy(one, { offset, replace, isThere: there !== undefined, signal })
    return this.#send(one, { offset, replace, isThere: there !== undefined, signal })
  }

  #tell(action: QueueAction): false {
    this.#act(action)
    return false
  }

  async #send(one: Transfer, { offset, replace, isThere, signal }: Place): Promise<boolean> {
    const file = this.#files.get(one.id)
    if (!file) throw new Error(t('Choose the file again to continue.'))
    const whole = { to: one.to, size: file.size, modified: file.lastModified }
    keepUpload(this.#options.userId, whole)
    if (isThere && offset === file.size && file.size > 0) return true
    let at = offset
    let length = FIRST_PART
    do {
      const part = file.slice(at, at + length)
      await readable(part)
      const began = performance.now()
      const base = at
      await sendPart({
        path: one.to,
        offset: at,
        replace: at === 0 && replace,
        more: at + part.size < file.size,
        body: part,
        signal,
        onSent: (bytes) => this.#act({ do: 'progress', id: one.id, sent: base + bytes }),
      })
      at += part.size
      length = nextPart(part.size, performance.now() - began)
      this.#act({ do: 'progress', id: one.id, sent: at })
    } while (at < file.size)
    return true
  }

  async #copy(one: Transfer, { offset, replace, isThere, signal }: Place): Promise<boolean> {
    if (isThere && offset === one.size && one.size > 0) return true
    await copyFile({ from: one.from ?? '', to: one.to, offset, replace: offset === 0 && replace }, signal, (bytes) =>
      this.#act({ do: 'progress', id: one.id, sent: offset + bytes }),
    )
    return true
  }
}

interface Place {
  offset: number
  replace: boolean
  isThere: boolean
  signal: AbortSignal
}

/** The line, the server or the machine may be back in a moment. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  return (
    [0, 408, 429, 502, 503, 504].includes(error.status) ||
    error.code === 'connection_lost' ||
    error.code === 'wrong_offset'
  )
}

/**
 * Throws in plain words when the computer cannot read the file any more; as a failed request it
 * would look like a broken line.
 */
async function readable(part: Blob): Promise<void> {
  try {
    await part.slice(0, 1).arrayBuffer()
  } catch {
    throw new Error(t('This computer can no longer read the file: it was changed, moved or removed.'))
  }
}

/** Whether leaving would break something off. */
export const isBusy = (engine: TransferEngine): boolean => isUnderWay(engine.queue)
