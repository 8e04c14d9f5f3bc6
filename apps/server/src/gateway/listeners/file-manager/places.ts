import { AppError, forbidden, notFound, refused } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { AssetFiles } from '../../files/asset-files.ts'
import type { AssetPlace, FileRoot } from '../../files/file-root.ts'
import { type FileAttributes, SftpStatus, STATUS } from '../../files/sftp/sftp-wire.ts'
import { SessionRefusal } from '../../session/refusal.ts'

/** Throws PERMISSION_DENIED where there is no machine. */
export async function onMachine(root: FileRoot, path: string): Promise<AssetPlace> {
  const place = await root.locate(path)
  if (place.kind === 'virtual') throw new SftpStatus(STATUS.PERMISSION_DENIED, 'This folder is not on a machine')
  return place
}

/**
 * The machine and account that a path leads to, without connecting; nulls above the machines.
 * Throws NO_SUCH_FILE.
 */
export async function whose(
  root: FileRoot,
  path: string,
): Promise<{ asset: string | null; system_user: string | null }> {
  const place = await root.locate(path)
  const [asset = null, system_user = null] = place.kind === 'asset' ? place.key.split(' ') : []
  return { asset, system_user }
}

/** The attributes of what is there, links not followed; undefined if nothing is. */
export async function found(files: AssetFiles, path: string): Promise<FileAttributes | undefined> {
  try {
    return await files.lstat(path)
  } catch (error) {
    if (error instanceof SftpStatus && error.code === STATUS.NO_SUCH_FILE) return undefined
    throw error
  }
}

/**
 * An error about files as an answer that a person can act on; any other error is returned as it is.
 */
export function answerFor(error: unknown, language: Language): unknown {
  if (error instanceof SessionRefusal)
    return refused('files_refused', translate(language, error.message, { ...error.values }))
  if (!(error instanceof SftpStatus)) return error
  switch (error.code) {
    case STATUS.NO_SUCH_FILE:
      return notFound()
    case STATUS.PERMISSION_DENIED:
      return forbidden(translate(language, error.message))
    case STATUS.CONNECTION_LOST:
    case STATUS.NO_CONNECTION:
      return new AppError(409, 'connection_lost', translate(language, error.message))
    default:
      return refused('files_failed', translate(language, error.message))
  }
}

/**
 * The message for a person when an answer has already begun; about a fault it says no more than
 * that.
 */
export function refusalText(error: unknown, language: Language): string {
  return translate(language, error instanceof AppError ? error.message : 'The transfer was broken off')
}
