import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { Opener, Vault } from '../../kernel/secrets/vault.ts'
import { StartRefusal } from '../../kernel/start-refusal.ts'
import type { Place } from './places/place.ts'
import { readPart, type StoredPart, storePart } from './places/stored-part.ts'

/**
 * What of the data directory is not a small file of its own: the database and recordings, which are
 * backed up otherwise; what is made again, or ends with a process; the key, and a first password,
 * which must not lie beside what they open.
 */
export const NOT_OWN: ReadonlySet<string> = new Set([
  'postgres',
  'replay',
  'replay-copies',
  'storage-drafts',
  'storage-copies',
  'desktop-files',
  'kept-rows',
  'backup-workshop',
  'sallyport.lock',
  'secret.key',
  'admin-password.txt',
  'lost+found',
])
/** Certificates, keys, identities and journals are far smaller. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_ALL_BYTES = 64 * 1024 * 1024

interface OwnFile {
  /** Below the data directory. */
  name: string
  mode: number
  /** Base64, sealed: certificates come with their keys. */
  content: string
}

/**
 * Stores the small files of the data directory, each sealed under the installation's key: the
 * identity of the node, certificates that it made, rows that wait for the database.
 * @param leftOut gets a line for people for each that is too large
 */
export async function storeOwnFiles(
  {
    dataDirectory,
    place,
    file,
    vault,
  }: { dataDirectory: string; place: Place; file: string; vault: Pick<Vault, 'seal'> },
  leftOut: string[],
): Promise<StoredPart | undefined> {
  const files: OwnFile[] = []
  let total = 0
  for (const name of await ownFiles(dataDirectory)) {
    const path = join(dataDirectory, name)
    const found = await stat(path).catch(() => undefined)
    // It may be gone by now, as rows that waited for the database.
    if (!found?.isFile()) continue
    total += found.size
    if (found.size > MAX_FILE_BYTES || total > MAX_ALL_BYTES) {
      total -= found.size
      leftOut.push(`${name} of the data directory, which is larger than a file of Sallyport's own would be`)
      continue
    }
    const bytes = await readFile(path).catch(ignoreGone)
    if (!bytes) continue
    const content = vault.seal(bytes.toString('base64')).toString('base64')
    files.push({ name, mode: found.mode & 0o777, content })
  }
  if (!files.length) return undefined
  return storePart(place, file, Readable.from([Buffer.from(JSON.stringify(files))]))
}

function ignoreGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Names of the small files in a data directory. */
async function ownFiles(dataDirectory: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(dataDirectory, { withFileTypes: true })) {
    if (NOT_OWN.has(entry.name) || entry.name.startsWith('.') || entry.name.startsWith('sallyport.lock.')) continue
    if (entry.isFile()) found.push(entry.name)
    else if (entry.isDirectory())
      for (const below of await readdir(join(dataDirectory, entry.name), { recursive: true, encoding: 'utf8' }))
        found.push(join(entry.name, below))
  }
  return found.sort()
}

/** Reads them; opens none. Throws StartRefusal where they are damaged. */
export async function readOwnFiles(place: Place, part: StoredPart | undefined): Promise<OwnFile[]> {
  if (!part) return []
  const chunks: Buffer[] = []
  const gather = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk)
      done()
    },
  })
  await readPart(place, part, gather)
  return JSON.parse(String(Buffer.concat(chunks))) as OwnFile[]
}

/** Puts them into a data directory. */
export async function putBackOwnFiles(dataDirectory: string, files: readonly OwnFile[], open: Opener): Promise<void> {
  for (const { name, mode, content } of files) {
    if (name.split('/').includes('..') || NOT_OWN.has(name.split('/')[0] ?? ''))
      throw new StartRefusal(`The backup is damaged: ${name} is no file of a data directory`)
    const path = join(dataDirectory, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, Buffer.from(open(Buffer.from(content, 'base64')), 'base64'), { mode })
  }
}
