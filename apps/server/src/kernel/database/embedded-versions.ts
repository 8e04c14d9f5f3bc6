import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPostgres } from './embedded-binaries.ts'

const run = promisify(execFile)
/** As the library says its version: `OpenSSL 3.0.17 1 Jul 2025`. */
const OPENSSL = /OpenSSL \d+\.\d+\.\d+[a-z]*\s+\d+ \w{3} \d{4}/

/** The PostgreSQL that runs in the data directory. */
export interface EmbeddedVersions {
  /** Such as `postgres (PostgreSQL) 18.4`. */
  version: string
  /** The library that comes with it, with its date; undefined for the system's own. */
  openssl: string | undefined
}

/** Throws where there is none for this machine. */
export async function embeddedVersions(): Promise<EmbeddedVersions> {
  const { root, postgres } = await findPostgres()
  const [{ stdout }, openssl] = await Promise.all([run(postgres, ['--version']), opensslIn(join(root, 'lib'))])
  return { version: stdout.trim(), openssl }
}

async function opensslIn(folder: string): Promise<string | undefined> {
  const name = (await readdir(folder).catch(() => [])).find((one) => one.startsWith('libcrypto.so'))
  if (!name) return undefined
  return OPENSSL.exec(await readFile(join(folder, name), 'latin1'))?.[0].replace(/\s+/g, ' ')
}
