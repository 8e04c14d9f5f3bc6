import type { Config } from '../config.ts'
import type { CertificateInUse } from './certificates.ts'
import { isHttpsByItself, isLoopback, servesHttps } from './serves-https.ts'

/** Lines for the operator at start: how people's passwords come here. */
export function httpsLines(config: Config, certificate: CertificateInUse | undefined): string[] {
  if (!servesHttps(config))
    return isLoopback(config.host) || config.trustedProxies.length
      ? []
      : [
          '! Passwords cross the network in clear: HTTPS is off and no proxy is named.',
          '! Set SALLYPORT_HTTPS=on, or name the proxy with TLS in SALLYPORT_TRUSTED_PROXIES.',
        ]
  if (!certificate) return []
  const { source, names, notAfter, fingerprint, lastError } = certificate
  const until = `until ${notAfter.toISOString().slice(0, 10)}`
  return [
    ...(isHttpsByItself(config) ? ['HTTPS is on because other machines can reach this address (docs/tls.md).'] : []),
    ...(source === 'own' && config.acmeDomains.length
      ? [`A certificate for ${config.acmeDomains.join(', ')} is asked for. Until it comes, there is this one:`]
      : []),
    source === 'own'
      ? 'Certificate: made by this server, so browsers warn. Compare its SHA-256 fingerprint with theirs:'
      : `Certificate: ${names.join(', ')}, ${until}, with the SHA-256 fingerprint`,
    `  ${fingerprint}`,
    ...(lastError ? [`! ${lastError}`] : []),
  ]
}
