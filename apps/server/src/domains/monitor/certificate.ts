import { createHash } from 'node:crypto'
import type { Say } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { CertificateInUse } from '../../kernel/tls/certificates.ts'
import { beginAlarm, type Content, endAlarms, notifySubscribers } from '../notifications/index.ts'

const DAY_MS = 86_400_000
/** Days before its end at which a certificate is reported: its renewal should have been long before. */
const NOTICE_DAYS = 14
/** The part of its time that is left, for a certificate that is valid for days alone. */
const NOTICE_PART = 1 / 4

/**
 * Reports a certificate of the site that ends soon, and a change or renewal that came to nothing; each
 * once for the installation. One that a node made for itself is followed by the next one.
 * @param at for tests: another time than now
 */
export async function reportCertificate(kernel: Kernel, at = new Date()): Promise<void> {
  const certificate = kernel.certificates.inUse()
  if (!certificate || certificate.source === 'own') return reportFailure(kernel, certificate)
  const left = certificate.notAfter.getTime() - at.getTime()
  const whole = certificate.notAfter.getTime() - certificate.notBefore.getTime()
  const { fingerprint } = certificate
  if (left < Math.min(NOTICE_DAYS * DAY_MS, whole * NOTICE_PART)) {
    const stage = left > 0 ? 'ends' : 'ended'
    if (await beginAlarm(kernel, `certificate.${stage}.${fingerprint}`))
      await tell(kernel, (say) => [endWords(say, certificate, left), ...toDo(say, certificate)])
  }
  await reportFailure(kernel, certificate)
}

async function reportFailure(kernel: Kernel, certificate: CertificateInUse | undefined): Promise<void> {
  const reason = certificate?.lastError ?? ''
  // A certificate of an authority is the installation's, and files are the node's.
  const prefix = `certificate.failed.${kernel.config.acmeDomains.length ? '' : kernel.nodes.id}.`
  const name = `${prefix}${createHash('sha256').update(reason).digest('hex').slice(0, 16)}`
  if (reason && (await beginAlarm(kernel, name)))
    await tell(kernel, (say) => [
      say('The certificate of the site was not changed or renewed by {{node}}: {{reason}}', {
        node: kernel.nodes.name,
        reason,
      }),
    ])
  await endAlarms(kernel, prefix, reason ? [name] : [])
}

function endWords(say: Say, { names, notAfter }: CertificateInUse, left: number): string {
  const values = { names: names.join(', '), date: notAfter.toISOString().slice(0, 10) }
  return left > 0
    ? say('The certificate for {{names}} ends on {{date}}.', values)
    : say('The certificate for {{names}} ended on {{date}}: browsers and clients refuse it.', values)
}

function toDo(say: Say, { source }: CertificateInUse): string[] {
  return source === 'files'
    ? [say('Put a new one into the files that SALLYPORT_TLS_CERTIFICATE and SALLYPORT_TLS_KEY name.')]
    : [say('It should have been renewed: see that SALLYPORT_ACME_DOMAINS lead to port 80 or 443 of this server.')]
}

const tell = (kernel: Kernel, paragraphs: (say: Say) => Content['paragraphs']): Promise<void> =>
  notifySubscribers(kernel, 'ServerPerformanceMessage', (say) => ({
    subject: say('Certificate of the site'),
    paragraphs: paragraphs(say),
  }))
