import { createDecipheriv } from 'node:crypto'
import { open } from 'node:fs/promises'
import { isMap, parseDocument } from 'yaml'
import { WrongUse } from '../../wrong-use.ts'
import { fromBase64, utf8 } from './base64.ts'
import { sm4Keys } from './secret-keys.ts'

/** A configuration of JumpServer. */
export interface JumpServerConfig {
  /** Its SECRET_KEY as the versions may have read it, the likeliest first. */
  keys: string[]
  /** All its settings by name, such as DB_HOST, with those in clear that were encrypted. */
  settings: Map<string, string>
}

/** Their configurations have some hundred lines. */
const LARGEST_FILE = 262_144

/** Since 2.28 these may be encrypted by SECRET_ENCRYPT_KEY. */
const MAY_BE_ENCRYPTED = ['SECRET_KEY', 'DB_PASSWORD', 'REDIS_PASSWORD']

/**
 * Reads `config.txt` of JumpServer's installer, `config.yml` of an installation by hand, or a file
 * with nothing but the key. `encryptKey`: SECRET_ENCRYPT_KEY, where it is not in the file, as it
 * should not be. Throws WrongUse in words for a file without a key.
 */
export async function readKeys(file: string, encryptKey?: string): Promise<JumpServerConfig> {
  return keysIn(await textOf(file), file, encryptKey)
}

/** The same of a text that somebody has entered: mostly the key alone, with any characters in it. */
export function enteredKeys(text: string): string[] {
  const line = text.trim()
  return /[\r\n]|SECRET_KEY\s*[=:]/.test(line) ? keysIn(text, 'SECRET_KEY').keys : [line]
}

/** @param file its name, for messages */
function keysIn(text: string, file: string, encryptKey?: string): JumpServerConfig {
  const { settings, spellings } = byLines(text) ?? byYaml(text, file) ?? lonely(text)
  const opener = encryptKey || settings.get('SECRET_ENCRYPT_KEY')
  if (opener)
    for (const name of MAY_BE_ENCRYPTED) {
      const clear = decrypted(settings.get(name) ?? '', opener)
      if (clear !== undefined) settings.set(name, clear)
      if (clear !== undefined && name === 'SECRET_KEY') spellings.unshift(clear)
    }
  const keys = [...new Set(spellings)].filter((key) => key !== '')
  if (keys.length === 0) throw new WrongUse(`${file} has no SECRET_KEY`)
  return { keys, settings }
}

async function textOf(file: string): Promise<string> {
  const handle = await open(file).catch((reason: NodeJS.ErrnoException) => {
    throw new WrongUse(`${file} cannot be read: ${reason.code}`)
  })
  try {
    if (!(await handle.stat()).isFile()) throw new WrongUse(`${file} is no file`)
    const bytes = Buffer.alloc(LARGEST_FILE + 1)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
    const text = utf8(bytes.subarray(0, bytesRead))
    if (bytesRead > LARGEST_FILE || text === undefined || text.includes('\0'))
      throw new WrongUse(`${file} is no configuration of JumpServer`)
    return text.replace(/^\uFEFF/, '')
  } finally {
    await handle.close()
  }
}

interface Read {
  settings: Map<string, string>
  /** The SECRET_KEY in each way in which it may be meant. */
  spellings: string[]
}

/** `NAME=value` by lines, as a shell and as container engines read it. */
function byLines(text: string): Read | undefined {
  const settings = new Map<string, string>()
  const spellings: string[] = []
  for (const line of text.split(/\r?\n/)) {
    const [, name, raw] = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=(.*)$/.exec(line) ?? []
    if (!name || raw === undefined) continue
    const given = raw.trim()
    const [, quoted] = /^(?:"([^"]*)"|'([^']*)')/.exec(given)?.filter((part) => part !== undefined) ?? []
    const value = quoted ?? given.replace(/\s#.*$/, '').trimEnd()
    settings.set(name, value)
    // Some engines keep quotes and what looks like a comment: then these are part of the key.
    if (name === 'SECRET_KEY') spellings.splice(0, spellings.length, value, given)
  }
  return settings.size > 0 ? { settings, spellings } : undefined
}

/** `NAME: value` on the top level of YAML. All values are texts, so that a key of digits stays one. */
function byYaml(text: string, file: string): Read | undefined {
  const document = parseDocument(text, { schema: 'failsafe', logLevel: 'silent', strict: false })
  if (!isMap(document.contents)) return undefined
  if (document.errors.length) throw new WrongUse(`${file} is no YAML: ${document.errors[0]?.message.split('\n')[0]}`)
  const settings = new Map<string, string>()
  for (const { key, value } of document.contents.items) {
    const [name, scalar] = [key, value].map((node) => (node as { value?: unknown } | null)?.value)
    if (typeof name === 'string' && typeof scalar === 'string') settings.set(name, scalar)
  }
  return { settings, spellings: [settings.get('SECRET_KEY') ?? ''] }
}

/** A file that has the key as its only line. */
function lonely(text: string): Read {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const key = lines.length === 1 ? (lines[0] ?? '').trim() : ''
  return { settings: new Map([['SECRET_KEY', key]]), spellings: [key] }
}

/** SM4-ECB in either alphabet of base64; undefined where it is not, since then a value is meant as it is. */
function decrypted(value: string, key: string): string | undefined {
  const sealed = fromBase64(value, 'base64') ?? fromBase64(value, 'base64url')
  const [sm4] = sm4Keys(Buffer.from(key, 'utf8'))
  if (!sealed || !sm4 || sealed.length % 16 !== 0) return undefined
  const decipher = createDecipheriv('sm4-ecb', sm4, null)
  try {
    return utf8(Buffer.concat([decipher.update(sealed), decipher.final()]))
  } catch {
    return undefined
  }
}
