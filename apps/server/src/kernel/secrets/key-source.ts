import { chown, open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { StartRefusal } from '../start-refusal.ts'
import { KEY_BYTES, keyOfText, newKey, type SecretKey, secretKey } from './secret-key.ts'

export const KEY_FILE = 'secret.key'

/** The configured keys cannot be used; the message tells the person who starts Sallyport why. */
export class SecretKeyError extends StartRefusal {
  constructor(message: string) {
    super(message)
    this.name = 'SecretKeyError'
  }
}

/** The keys that a process was given, and where they came from. */
export interface ConfiguredKeys {
  /** Empty when there is neither a setting nor a file yet. */
  keys: SecretKey[]
  /** For messages: names of the settings, or the path of the key file. */
  source: string
  /** Where a new key is written; undefined when keys come from settings. */
  file: string | undefined
}

type KeySettings = Pick<Config, 'dataDirectory' | 'secretKey' | 'nextSecretKey'>

/**
 * Reads the keys that seal secrets: from the setting if there is one, else from `secret.key` in the
 * data directory, which has one base64 line a key and comments that begin with `#`. A key for the
 * next rotation may be given beside either. Creates none. Without the keys, the secrets in the
 * database cannot be read.
 */
export async function readKeys({
  dataDirectory,
  secretKey: setting,
  nextSecretKey: next,
}: KeySettings): Promise<ConfiguredKeys> {
  const nextKeys = next ? [keyOfText(next)] : []
  const and = next ? ' and SALLYPORT_SECRET_KEY_NEXT' : ''
  if (setting) return { keys: [keyOfText(setting), ...nextKeys], source: `SALLYPORT_SECRET_KEY${and}`, file: undefined }
  const file = join(dataDirectory, KEY_FILE)
  return { keys: [...(await readKeyFile(file)), ...nextKeys], source: `${file}${and}`, file }
}

async function readKeyFile(path: string): Promise<SecretKey[]> {
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new SecretKeyError(`The key file ${path} cannot be read: ${(error as Error).message}`)
  }
  const lines = content.split('\n').map((line) => line.trim())
  const keys = lines.filter((line) => line && !line.startsWith('#')).map((line) => Buffer.from(line, 'base64'))
  if (!keys.length || keys.some(({ length }) => length !== KEY_BYTES))
    throw new SecretKeyError(
      `The key file ${path} is damaged: each line must be a key of ${KEY_BYTES} bytes in base64. Put it back from its backup.`,
    )
  return keys.map(secretKey)
}

/** Creates the first key of an installation. */
export async function makeKeyFile(path: string): Promise<SecretKey> {
  const key = newKey()
  // `wx`: never overwrites a key that somebody else has just put there.
  await writeFile(path, `${key.bytes.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  return key
}

/** Adds a new key to the file; it is on disk when this returns. */
export async function addToKeyFile(path: string): Promise<SecretKey> {
  const key = newKey()
  const content = (await readFile(path, 'utf8')).trimEnd()
  await replaceKeyFile(path, `${content}\n${key.bytes.toString('base64')}\n`)
  return key
}

/**
 * Rewrites the file: the key that seals first, then the retired ones, with a comment on what they
 * are still good for.
 */
export async function writeKeyFile(
  path: string,
  keys: readonly SecretKey[],
  retired: ReadonlyMap<string, Date>,
): Promise<void> {
  const inFile = new Set((await readKeyFile(path)).map(({ id }) => id))
  const lines = keys
    .filter(({ id }) => inFile.has(id))
    .flatMap(({ id, bytes }) => {
      const date = retired.get(id)
      const note = date
        ? `# Retired on ${date.toISOString().slice(0, 10)}: opens backups of the database from before. Remove it with them.`
        : ''
      return [...(note ? [note] : []), bytes.toString('base64')]
    })
  await replaceKeyFile(path, `${lines.join('\n')}\n`)
}

/** Atomic, with the same owner, and on disk when it returns. */
async function replaceKeyFile(path: string, content: string): Promise<void> {
  const { uid, gid } = await stat(path)
  const fresh = `${path}.new`
  await writeFile(fresh, content, { mode: 0o600, flush: true })
  if (process.getuid?.() === 0) await chown(fresh, uid, gid)
  await rename(fresh, path)
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
}
