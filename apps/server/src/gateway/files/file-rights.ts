import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import type { ConnectAnswer } from '../../domains/perms/index.ts'
import { SftpStatus, STATUS } from './sftp/sftp-wire.ts'

export type FileAction = 'connect' | 'upload_file' | 'download_file'

/** Listing may rely on an answer of this age; everything else asks again. */
const LOOK_MS = 1000

/** A database that takes longer counts as unavailable. */
const ANSWER_MS = 2000

function tooLate(): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('no answer in time')), ANSWER_MS).unref())
}

/**
 * What a person may do with the files of one asset as one system user. The permissions are asked
 * each time, since they may change at any moment.
 */
export class FileRights {
  readonly #ask: () => Promise<ConnectAnswer>
  #question: Promise<ConnectAnswer> | undefined
  #last: { answer: ConnectAnswer; at: number } | undefined

  constructor(ask: () => Promise<ConnectAnswer>) {
    this.#ask = ask
  }

  /** Throws PERMISSION_DENIED. */
  async demand(action: FileAction): Promise<void> {
    const last = action === 'connect' ? this.#last : undefined
    const answer = last && Date.now() - last.at < LOOK_MS ? last.answer : await this.#fresh()
    if (!allows(answer, action)) throw denied(action)
  }

  /**
   * What is permitted now. If the permissions can't be asked, the last answer counts, until the
   * permission's end.
   */
  async current(): Promise<(action: FileAction) => boolean> {
    try {
      const answer = await Promise.race([this.#fresh(), tooLate()])
      return (action) => allows(answer, action)
    } catch {
      const last = this.#last?.answer
      if (!last || last.expireAt * 1000 < Date.now()) return () => false
      return (action) => allows(last, action)
    }
  }

  /** Simultaneous callers share one answer. */
  async #fresh(): Promise<ConnectAnswer> {
    this.#question ??= this.#ask().finally(() => {
      this.#question = undefined
    })
    const answer = await this.#question
    this.#last = { answer, at: Date.now() }
    return answer
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
}

function denied(action: FileAction): SftpStatus {
  return new SftpStatus(STATUS.PERMISSION_DENIED, REASONS[action])
}
