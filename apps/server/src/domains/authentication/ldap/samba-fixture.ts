/**
 * A real domain controller of Active Directory (Samba), of which the LDAP server runs alone: on an
 * address of its own in 127.0.0.0/8, since its ports can't be chosen, with its data in a temporary
 * folder. For root: those ports, and the owners of its entries, are the system's.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Samba {
  /** ldap:// and ldaps://, and its certificate as a PEM file. */
  url: string
  tlsUrl: string
  certificateFile: string
  /** Its version, as `4.17.12`. */
  version: string
  /** Changes entries, as LDIF; it need not be stopped. */
  change(ldif: string): void
  close(): Promise<void>
}

export const AD_SUFFIX = 'DC=ad,DC=example,DC=org'
/** An administrator, who may read everything. */
export const AD_READER = { dn: `CN=Administrator,CN=Users,${AD_SUFFIX}`, password: 'Provisioned-1' }

/** A password as Active Directory takes it: between quotes, in UTF-16. */
export const unicodePassword = (password: string): string =>
  `unicodePwd:: ${Buffer.from(`"${password}"`, 'utf16le').toString('base64')}`

/** @param ldif entries below AD_SUFFIX to begin with */
export async function startSamba(ldif: string): Promise<Samba> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-samba-'))
  const file = (name: string) => join(folder, name)
  const address = `127.${randomInt(2, 255)}.${randomInt(255)}.${randomInt(2, 255)}`
  makeCertificate(file, address)
  const run = (program: string, ...parameters: string[]) =>
    execFileSync(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
  run(
    '/usr/bin/samba-tool',
    'domain',
    'provision',
    ...['--realm=AD.EXAMPLE.ORG', '--domain=ADEXAMPLE', '--server-role=dc', '--dns-backend=NONE'],
    ...['--host-name=dc1', `--host-ip=${address}`, `--adminpass=${AD_READER.password}`, `--targetdir=${file('ad')}`],
    '--option=vfs objects=',
  )
  // Its own has services and folders of the whole system.
  const configuration = file('smb.conf')
  writeFileSync(
    configuration,
    `[global]
  netbios name = DC1
  realm = AD.EXAMPLE.ORG
  workgroup = ADEXAMPLE
  server role = active directory domain controller
  server services = ldap
  private dir = ${file('ad/private')}
  state directory = ${file('ad/state')}
  cache directory = ${file('ad/cache')}
  lock directory = ${file('ad')}
  ncalrpc dir = ${file('ncalrpc')}
  pid directory = ${folder}
  log file = ${file('log')}
  interfaces = ${address}/8
  bind interfaces only = yes
  tls certfile = ${file('cert.pem')}
  tls keyfile = ${file('key.pem')}
  tls cafile = ${file('cert.pem')}
`,
  )
  const change = (changes: string) => {
    writeFileSync(file('change.ldif'), changes)
    run('/usr/bin/ldbmodify', '-H', file('ad/private/sam.ldb'), file('change.ldif'))
  }
  change(ldif)
  const server = spawn(
    '/usr/sbin/samba',
    ['--foreground', '--no-process-group', '--model=single', '-s', configuration],
    {
      stdio: 'ignore',
    },
  )
  for (const port of [389, 636]) await untilOpen(address, port, server)
  return {
    url: `ldap://${address}`,
    tlsUrl: `ldaps://${address}`,
    certificateFile: file('cert.pem'),
    version: /\d+\.\d+\.\d+/.exec(run('/usr/sbin/samba', '--version'))?.[0] ?? '',
    change,
    async close() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      if (server.exitCode === null && server.kill('SIGTERM')) await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makeCertificate(file: (name: string) => string, address: string): void {
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=dc1.ad.example.org'],
      ...['-addext', `subjectAltName=IP:${address}`, '-keyout', file('key.pem'), '-out', file('cert.pem')],
    ],
    { stdio: 'ignore' },
  )
}

/** Waits until the port accepts connections, which is soon after the start. */
async function untilOpen(host: string, port: number, server: ChildProcess): Promise<void> {
  while (!(await isOpen(host, port))) {
    if (server.exitCode !== null) throw new Error(`samba ended with ${server.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const isOpen = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, host)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
