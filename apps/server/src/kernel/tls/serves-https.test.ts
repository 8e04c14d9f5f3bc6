import { expect, test } from 'vitest'
import { loadConfig } from '../../config.ts'
import type { CertificateInUse } from './certificates.ts'
import { servesHttps } from './serves-https.ts'
import { httpsLines } from './start-lines.ts'

const OWN: CertificateInUse = {
  source: 'own',
  names: ['localhost'],
  fingerprint: 'AB:CD',
  notBefore: new Date('2026-01-01'),
  notAfter: new Date('2028-01-01'),
  trusted: false,
  untrustedReason: 'SELF_SIGNED',
  lastError: '',
}

test.each<[string, Record<string, string>, boolean]>([
  ['nobody but this machine can connect', {}, false],
  ['nobody but this machine can connect, by its other names', { SALLYPORT_HOST: 'localhost' }, false],
  ['nobody but this machine can connect by IPv6', { SALLYPORT_HOST: '::1' }, false],
  ['other machines can connect', { SALLYPORT_HOST: '0.0.0.0' }, true],
  ['other machines can connect by name', { SALLYPORT_HOST: 'door.example.com' }, true],
  ['a proxy is named', { SALLYPORT_HOST: '0.0.0.0', SALLYPORT_TRUSTED_PROXIES: '10.0.0.5' }, false],
  ['it is switched off', { SALLYPORT_HOST: '0.0.0.0', SALLYPORT_HTTPS: 'off' }, false],
  ['it is switched on behind a proxy', { SALLYPORT_HTTPS: 'on', SALLYPORT_TRUSTED_PROXIES: '10.0.0.5' }, true],
  ['a certificate is named', { SALLYPORT_TLS_CERTIFICATE: 'a', SALLYPORT_TLS_KEY: 'b' }, true],
  ['domains are named', { SALLYPORT_ACME_DOMAINS: 'door.example.com' }, true],
])('where %s, whether HTTPS is on follows from that', (_where, settings, isOn) => {
  expect(servesHttps(loadConfig(settings))).toBe(isOn)
})

test('a start says by what a browser knows the server, and when passwords would go in clear', () => {
  const lines = (settings: Record<string, string>, certificate?: CertificateInUse) =>
    httpsLines(loadConfig(settings), certificate).join('\n')
  expect(lines({})).toBe('')
  expect(lines({ SALLYPORT_HOST: '0.0.0.0' }, OWN)).toMatch(
    /^HTTPS is on because .*\n.*made by this server.*\n {2}AB:CD$/,
  )
  expect(lines({ SALLYPORT_HOST: '0.0.0.0', SALLYPORT_HTTPS: 'off' })).toMatch(
    /^! Passwords .* in clear.*\n.*SALLYPORT_HTTPS=on.*SALLYPORT_TRUSTED_PROXIES\.$/,
  )
  const made = { ...OWN, source: 'acme', names: ['door.example.com'], lastError: 'It failed.' } as const
  expect(lines({ SALLYPORT_ACME_DOMAINS: 'door.example.com' }, made)).toMatch(
    /^Certificate: door\.example\.com, until 2028-01-01, .*\n {2}AB:CD\n! It failed\.$/,
  )
})
