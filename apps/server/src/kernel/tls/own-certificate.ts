import { readFile, rename, writeFile } from 'node:fs/promises'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { makeSiteCertificate } from '../nodes/certificate.ts'
import { factsOf } from './describe.ts'
import type { KeyPair } from './key-pair.ts'

/** In the data directory: the certificate that this node made for itself, and its key. */
export const OWN_FILE = 'tls.pem'
/** A new one is made when the last one has fewer days left. */
const LEAST_DAYS = 30
const DAY_MS = 86_400_000
const MOST_NAMES = 50

/** The name in every certificate that a node makes, for clients which want one. */
export const CERTIFIED_NAME = 'sallyport'

/**
 * The certificate that this node made for itself, and that nobody has signed: made at the first
 * call, and once more a month before its end.
 */
export async function ownCertificate(config: Pick<Config, 'dataDirectory' | 'host' | 'settings'>): Promise<KeyPair> {
  const path = join(config.dataDirectory, OWN_FILE)
  const kept = await readFile(path, 'utf8').catch(() => undefined)
  if (kept !== undefined && isStillGood(kept)) return { certificate: kept, key: kept }
  const { certificate, privateKey } = makeSiteCertificate(namesOf(config))
  const pem = `${certificate}${privateKey}`
  await writeFile(`${path}.new`, pem, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return { certificate: pem, key: pem }
}

function isStillGood(pem: string): boolean {
  try {
    return factsOf({ certificate: pem }).notAfter.getTime() - Date.now() > LEAST_DAYS * DAY_MS
  } catch {
    return false // half a file, left by a full disk
  }
}

/** By what people may call this machine. */
function namesOf({ host, settings }: Pick<Config, 'host' | 'settings'>): string[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((some) => some ?? [])
    // What belongs to one link has no meaning elsewhere.
    .flatMap(({ address, scopeid }) => (scopeid ? [] : [address]))
  const site = URL.parse(settings.SITE_URL ?? '')?.hostname.replace(/^\[|\]$/g, '')
  const names = [site ?? '', host, hostname(), 'localhost', CERTIFIED_NAME, ...addresses]
  const usable = names.filter((name) => /^[\w.:-]+$/.test(name) && name !== '0.0.0.0' && name !== '::')
  return [...new Set(usable)].slice(0, MOST_NAMES)
}
