import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { bareHost } from '../../bare-host.ts'
import { judgedPlace } from '../../outbound/judged-lookup.ts'
import { storedForClients } from '../../tls/certificates.ts'
import { certificateOutcome } from '../certificate-outcome.ts'
import { type Check, NotChecked, type Outcome, ok, warning, wrong } from '../check.ts'
import { lineOf } from '../line-of.ts'

const ANSWER_MS = 10_000

/** What clients of databases, Kubernetes and desktops are shown. */
const ofClients: Check = {
  name: 'certificate.clients',
  title: 'Certificate for database and desktop clients',
  async run({ config }) {
    const { postgresqlPort, mysqlPort, redisPort, kubernetesPort, vncPort, rdpPort } = config
    if (![postgresqlPort, mysqlPort, redisPort, kubernetesPort, vncPort, rdpPort].some(Boolean))
      throw new NotChecked((say) => say('No port for such clients is open.'))
    try {
      const pem = await storedForClients(config)
      if (!pem) return ok((say) => say('The node makes its own at its start.'))
      return certificateOutcome(new X509Certificate(pem))
    } catch (error) {
      const reason = lineOf(error)
      return wrong(
        (say) => say('It cannot be used: {{reason}}', { reason }),
        (say) =>
          say(
            'Name a certificate and its key in SALLYPORT_DATABASE_CERTIFICATE and SALLYPORT_DATABASE_KEY, both in PEM.',
          ),
      )
    }
  },
}

/** What browsers are shown at the site's address, by Sallyport or by the proxy in front of it. */
const ofSite: Check = {
  name: 'certificate.site',
  title: 'Certificate of the site',
  async run(place, signal) {
    const { SITE_URL: address } = await place.settings()
    const url = URL.parse(address)
    if (url?.protocol !== 'https:')
      throw new NotChecked(
        (say) => say('The address of the site ({{address}}) does not begin with https://.', { address }),
        (say) => say('Once people reach Sallyport by HTTPS, enter that address as the site URL in the settings.'),
      )
    const values = { address }
    try {
      return await shownAt(url, signal)
    } catch (error) {
      const reason = lineOf(error)
      return warning(
        (say) => say('{{address}} cannot be reached from this machine: {{reason}}', { ...values, reason }),
        (say) => say('Check the site URL in the settings, and that its name leads to Sallyport or its proxy.'),
      )
    }
  },
}

async function shownAt(url: URL, signal: AbortSignal): Promise<Outcome> {
  const host = bareHost(url.hostname)
  const socket = connect({
    ...judgedPlace({ host, port: Number(url.port || 443) }),
    ...(isIP(host) ? {} : { servername: host }),
    // Whether it is trusted is a finding, not a failure.
    rejectUnauthorized: false,
  })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).on('error', reject)
      limit.addEventListener('abort', () => reject(new Error('no answer')), { once: true })
    })
    const certificate = socket.getPeerX509Certificate()
    if (!certificate) throw new Error('no certificate')
    const outcome = certificateOutcome(certificate)
    if (socket.authorized || outcome.state !== 'ok') return outcome
    const reason = String(socket.authorizationError)
    return warning(
      (say) =>
        say('{{address}} shows a certificate that this machine does not trust ({{reason}}).', {
          address: url.origin,
          reason,
        }),
      (say) => say('Use one that browsers trust, for every name under which people reach the site.'),
    )
  } finally {
    socket.destroy()
  }
}

export default [ofClients, ofSite]
