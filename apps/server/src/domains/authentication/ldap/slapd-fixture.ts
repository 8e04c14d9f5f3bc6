/**
 * A real LDAP server (Debian's slapd) on free ports of this machine, with its data in a temporary
 * folder and TLS on a second port.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../../test/free-port.ts'

export interface Slapd {
  /** ldap:// */
  url: string
  /** ldaps://, and its certificate as a PEM file. */
  tlsUrl: string
  certificateFile: string
  /** Adds or changes entries, as LDIF. */
  change(ldif: string): void
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export const SUFFIX = 'dc=example,dc=org'
const READER = { dn: `cn=reader,${SUFFIX}`, password: 'Reading-1' }

/** The part of Active Directory's schema that the tests use. */
const AD_SCHEMA = `
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
objectclass ( 1.2.840.113556.1.5.9 NAME 'adUser' SUP top AUXILIARY MAY ( sAMAccountName $ userAccountControl ) )
`

/** @param ldif entries below SUFFIX to begin with */
export async function startSlapd(ldif: string): Promise<Slapd> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-slapd-'))
  const file = (name: string) => join(folder, name)
  mkdirSync(file('data'))
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
    ].concat(['-addext', 'subjectAltName=DNS:localhost', '-keyout', file('key.pem'), '-out', file('cert.pem')]),
    { stdio: 'ignore' },
  )
  writeFileSync(file('ad.schema'), AD_SCHEMA)
  writeFileSync(
    file('slapd.conf'),
    `${['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`).join('\n')}
include ${file('ad.schema')}
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile ${file('slapd.pid')}
TLSCertificateFile ${file('cert.pem')}
TLSCertificateKeyFile ${file('key.pem')}
# As many servers are set up: a name without a password is taken as nobody, and nobody may not read.
allow bind_anon_dn
# More has to be asked for page by page.
sizelimit size.soft=500 size.hard=500 size.pr=1000 size.prtotal=unlimited
database mdb
maxsize 104857600
suffix "${SUFFIX}"
rootdn "${READER.dn}"
rootpw ${READER.password}
directory ${file('data')}
index objectClass,uid,cn,sAMAccountName,member,uniqueMember,memberUid eq
limits dn.exact="cn=service,${SUFFIX}" size.soft=500 size.hard=500 size.pr=1000 size.prtotal=unlimited
access to attrs=userPassword by anonymous auth by * none
access to * by users read by * none
# Of groups that are made once it runs.
overlay memberof
`,
  )
  writeFileSync(
    file('start.ldif'),
    `dn: ${SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n\n` +
      `dn: cn=service,${SUFFIX}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: service\nuserPassword: Serving-1\n\n${ldif}`,
  )
  execFileSync('/usr/sbin/slapadd', ['-q', '-f', file('slapd.conf'), '-l', file('start.ldif')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [port, tlsPort] = [await freePort(), await freePort()]
  const url = `ldap://localhost:${port}`
  const tlsUrl = `ldaps://localhost:${tlsPort}`
  let server: ChildProcess | undefined
  const start = async () => {
    // With -d it does not detach, so that it ends with us.
    server = spawn('/usr/sbin/slapd', ['-d', '0', '-f', file('slapd.conf'), '-h', `${url}/ ${tlsUrl}/`], {
      stdio: 'ignore',
    })
    await untilOpen(port, server)
    await untilOpen(tlsPort, server)
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      if (!server || server.exitCode !== null) return resolve()
      server.once('exit', () => resolve())
      server.kill('SIGTERM')
    })
  await start()
  return {
    url,
    tlsUrl,
    certificateFile: file('cert.pem'),
    change: (changes) => {
      execFileSync('/usr/bin/ldapmodify', ['-a', '-x', '-H', url, '-D', READER.dn, '-w', READER.password], {
        input: changes,
        stdio: ['pipe', 'ignore', 'pipe'],
      })
    },
    start,
    stop,
    async close() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the port accepts connections, which is soon after the start. */
async function untilOpen(port: number, server: ChildProcess): Promise<void> {
  while (!(await isOpen(port))) {
    if (server.exitCode !== null) throw new Error(`slapd ended with ${server.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, 'localhost')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
