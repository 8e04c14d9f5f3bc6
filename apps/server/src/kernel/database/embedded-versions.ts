import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { choosePostgres } from './embedded-binaries.ts'
import { bundledPostgres } from './embedded-bundled.ts'

/** As the library says its version: `OpenSSL 3.0.17 1 Jul 2025`. */
const OPENSSL = /OpenSSL \d+\.\d+\.\d+[a-z]*\s+\d+ \w{3} \d{4}/

/** The PostgreSQL that runs in the data directory. */
export interface EmbeddedVersions {
  /** Such as `18.4`. */
  version: string
  /** The package that it came with and its day, or the folder of another. */
  source: string
  /** The library that comes with it, with its date; undefined for the system's own. */
  openssl: string | undefined
}

/** The arguments are those of `choosePostgres`, which throws where there is none that fits. */
export async function embeddedVersions(directory: string, named?: string): Promise<EmbeddedVersions> {
  const { root, version, isBundled } = await choosePostgres(directory, named)
  const [bundled, openssl] = await Promise.all([bundledPostgres(), opensslIn(join(root, 'lib'))])
  const source = isBundled && bundled ? [bundled.source, bundled.date].filter(Boolean).join(', ') : root
  return { version, source, openssl }
}

async function opensslIn(folder: string): Promise<string | undefined> {
  const name = (await readdir(folder).catch(() => [])).find((one) => one.startsWith('libcrypto.so'))
  if (!name) return undefined
  return OPENSSL.exec(await readFile(join(folder, name), 'latin1'))?.[0].replace(/\s+/g, ' ')
}
