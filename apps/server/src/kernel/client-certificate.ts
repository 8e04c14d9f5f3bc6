import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Config } from './config.ts'
import { makeServerCertificate } from './nodes/certificate.ts'
import { StartRefusal } from './start-refusal.ts'

/** The name in the certificate that this node makes for clients which want one. */
export const CERTIFIED_NAME = 'sallyport'

/** A certificate that this node makes for itself, by who its clients are. */
export type ClientCertificate = 'databases' | 'kubernetes'

const OWN = {
  databases: { file: 'database-tls.pem', name: undefined },
  kubernetes: { file: 'kubernetes-tls.pem', name: CERTIFIED_NAME },
} as const

const making = new Map<string, Promise<string>>()

/**
 * What client programs are shown, in PEM: the site's own certificate where one is named, else one
 * that this node makes once and keeps in its data directory, and that nobody has signed. Throws
 * StartRefusal where the site's cannot be read, or is none.
 */
export async function certificateForClients(
  config: Config,
  of: ClientCertificate = 'databases',
): Promise<{ certificate: string; key: string; isOwn: boolean }> {
  const { databaseCertificate, databaseKey, dataDirectory } = config
  if (databaseCertificate && databaseKey) {
    try {
      const certificate = await readFile(databaseCertificate, 'utf8')
      const key = await readFile(databaseKey, 'utf8')
      createSecureContext({ cert: certificate, key })
      return { certificate, key, isOwn: false }
    } catch (cause) {
      throw new StartRefusal(
        `SALLYPORT_DATABASE_CERTIFICATE and SALLYPORT_DATABASE_KEY do not name a certificate and its key in PEM: ${(cause as Error).message}`,
        { cause },
      )
    }
  }
  const { file, name } = OWN[of]
  const path = join(dataDirectory, file)
  // Two that ask at once must not make two.
  const pem = making.get(path) ?? readFile(path, 'utf8').catch(() => make(path, name))
  making.set(path, pem)
  try {
    const text = await pem
    return { certificate: text, key: text, isOwn: true }
  } finally {
    making.delete(path)
  }
}

async function make(path: string, name: string | undefined): Promise<string> {
  const { certificate, privateKey } = makeServerCertificate(name)
  const pem = `${certificate}${privateKey}`
  await writeFile(path, pem, { mode: 0o600 })
  return pem
}
