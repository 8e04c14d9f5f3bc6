/** An authority of a test, which signs certificates, and pairs of every kind that openssl makes. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

export const openssl = (...parts: string[]) =>
  execFileSync('openssl', parts, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** Files of a certificate and its key. */
export interface PairFiles {
  certificate: string
  key: string
}

export interface Authority {
  folder: string
  /** Its own certificate. */
  file: string
  pem: string
  /** Signs one for these names and addresses, under a new key. */
  issue(file: string, names: readonly string[], days?: number): PairFiles
  /** Has this process trust it, as NODE_EXTRA_CA_CERTS would; answers how to end that. */
  trust(...more: string[]): () => void
  close(): void
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

export function openAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-authority-'))
  const at = (name: string) => join(folder, name)
  openssl(
    'req',
    '-x509',
    ...EC,
    '-days',
    '3',
    '-subj',
    '/CN=authority of a test',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
  )
  const pem = readFileSync(at('ca.crt'), 'utf8')
  return {
    folder,
    file: at('ca.crt'),
    pem,
    issue(file, names, days = 2) {
      const [certificate, key, request] = [at(`${file}.crt`), at(`${file}.key`), at(`${file}.csr`)]
      const alt = names.map((name) => `${/^[\d.]+$/.test(name) ? 'IP' : 'DNS'}:${name}`).join()
      const own = ['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${alt}`]
      openssl('req', '-new', ...EC, ...own, '-keyout', key, '-out', request)
      const signed = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-copy_extensions', 'copy', '-days', String(days)]
      openssl('x509', '-req', '-in', request, ...signed, '-out', certificate)
      return { certificate, key }
    },
    trust(...more) {
      const before = getCACertificates('default')
      setDefaultCACertificates([...before, pem, ...more])
      return () => setDefaultCACertificates(before)
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
