import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Config } from '../../../kernel/config.ts'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'

const FILE = 'database-tls.pem'

/**
 * What clients of databases are shown: the site's own certificate where one is named, else one that
 * this node makes once and keeps in its data directory, and that nobody has signed. Throws when the
 * named files are not a certificate and its key.
 */
export async function clientCertificate(config: Config): Promise<SecureContext> {
  const { databaseCertificate, databaseKey } = config
  if (databaseCertificate && databaseKey)
    return createSecureContext({ cert: await readFile(databaseCertificate), key: await readFile(databaseKey) })
  const path = join(config.dataDirectory, FILE)
  const pem = await readFile(path).catch(async () => {
    const { certificate, privateKey } = makeServerCertificate()
    await writeFile(path, `${certificate}${privateKey}`, { mode: 0o600 })
    return Buffer.from(`${certificate}${privateKey}`)
  })
  return createSecureContext({ cert: pem, key: pem })
}
