import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import type { ConnectAnswer } from '../../domains/perms/index.ts'
import { awaitedLater } from '../../kernel/background.ts'
import { inTime } from '../../kernel/in-time.ts'
import { SftpStatus, STATUS } from './sftp/sftp-wire.ts'

export type FileAction = 'connect' | 'upload_file' | 'download_file' | 'clipboard_copy' | 'clipboard_paste'

/** Listing may rely on an answer of this age. */
const LOOK_MS = 1000
/**
 * With many files in a row all rights are taken to hold: a withdrawal ends open files (WATCH_MS)
 * and keeps others from being opened within the same two seconds. To ask for each of a thousand
 * small files would cost more than to move them.
 */
const BULK_MS = 2000

/** A database that takes longer counts as unavailable. */
const ANSWER_MS = 2000

const tooLate = () => new Error('no answer in time')

/**
 * Rights of a person to the files of one asset as one system user. The permissions are checked each
 * time, since they may change at any moment, but `inBulk`.
 */
export class FileRights {
  readonly #ask: () => Promise<ConnectAnswer>
  readonly #inBulk: boolean
  #question: Promise<ConnectAnswer> | undefined
  /** `at` by a clock that nobody sets. */
  #last: { answer: ConnectAnswer; at: number } | undefined

  constructor(ask: () => Promise<ConnectAnswer>, { inBulk = false } = {}) {
    this.#ask = ask
    this.#inBulk = inBulk
  }

  /** Throws PERMISSION_DENIED. */
  async demand(action: FileAction): Promise<void> {
    const age = this.#inBulk ? BULK_MS : action === 'connect' ? LOOK_MS : 0
    const last = this.#last
    const holds = last && performance.now() - last.at < age && last.answer.expireAt * 1000 > Date.now()
    // A right that was granted just now is not refused because of an earlier answer.
    if (holds && allows(last.answer, action)) return
    if (!allows(await this.#fresh(), action)) throw denied(action)
  }

  /**
   * Current rights. If the permissions can't be read, the last answer counts, until the
   * permission's end.
   */
  async current(): Promise<(action: FileAction) => boolean> {
    try {
      const answer = await inTime(this.#fresh(), ANSWER_MS, tooLate)
      return (action) => allows(answer, action)
    } catch {
      const last = this.#last?.answer
      if (!last || last.expireAt * 1000 < Date.now()) return () => false
      return (action) => allows(last, action)
    }
  }

  /** A right that is withdrawn while the question is under way is not in its answer. */
  async #askNow(): Promise<ConnectAnswer> {
    const at = performance.now()
    const answer = await this.#ask()
    this.#last = { answer, at }
    return answer
  }

  /** Simultaneous callers share one answer. */
  async #fresh(): Promise<ConnectAnswer> {
    this.#question ??= awaitedLater(
      this.#askNow().finally(() => {
        this.#question = undefined
      }),
    )
    return this.#question
  }
}

function allows({ allowed, mask }: ConnectAnswer, action: FileAction): boolean {
  return allowed && (mask & ACTION_BITS[action]) !== 0
}

/** English texts, which are translation keys. */
export const REASONS: Readonly<Record<FileAction, string>> = {
  connect: 'You have no permission to connect to this asset',
  upload_file: 'You have no permission to change files on this asset',
  download_file: 'You have no permission to download from this asset',
  clipboard_copy: 'You have no permission to copy from this desktop',
  clipboard_paste: 'You have no permission to paste into this desktop',
}

function denied(action: FileAction): SftpStatus {
  return new SftpStatus(STATUS.PERMISSION_DENIED, REASONS[action])
}
