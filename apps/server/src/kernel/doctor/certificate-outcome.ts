import type { X509Certificate } from 'node:crypto'
import { type Outcome, ok, type Words, warning, wrong } from './check.ts'

const DAY_MS = 86_400_000
/** One that renews itself does so a month before its end. */
const SOON_DAYS = 21

/** A certificate by its end. */
export function certificateOutcome(certificate: X509Certificate, subject?: string, now = Date.now()): Outcome {
  const ends = Date.parse(certificate.validTo)
  const days = Math.floor((ends - now) / DAY_MS)
  const name = certificate.subjectAltName?.split(', ')[0]?.replace(/^\w+:/, '') ?? certificate.subject
  const values = { name, date: new Date(ends).toISOString().slice(0, 10), days }
  const mend: Words = (say) =>
    say('Put a new certificate in its place. Browsers and clients refuse one that has ended.')
  if (Date.parse(certificate.validFrom) > now)
    return wrong(
      (say) => say('The certificate of {{name}} is not valid yet: is the clock right?', values),
      mend,
      subject,
    )
  if (ends <= now) return wrong((say) => say('The certificate of {{name}} ended on {{date}}.', values), mend, subject)
  if (days < SOON_DAYS)
    return warning(
      (say) => say('The certificate of {{name}} ends on {{date}}, in {{days|day|days}}.', values),
      mend,
      subject,
    )
  return ok((say) => say('The certificate of {{name}} holds until {{date}}.', values), subject)
}
