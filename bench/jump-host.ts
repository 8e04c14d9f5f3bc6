/** The ways by which OpenSSH's client reaches one sshd: straight to it, through it as a jump host, and through Sallyport. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SshFixture } from '../apps/server/src/gateway/listeners/ssh/ssh-fixture.ts'

/** Parameters of `ssh` for each way; their configuration is written to the fixture's folder. */
export function waysTo({ sshd, folder, clientOptions, direct }: SshFixture) {
  const key = join(folder, 'target')
  writeFileSync(key, sshd.privateKey, { mode: 0o600 })
  const config = join(folder, 'config')
  const common = `UserKnownHostsFile ${join(folder, 'known')}\n  StrictHostKeyChecking accept-new\n  LogLevel ERROR\n  BatchMode yes\n  IdentitiesOnly yes`
  writeFileSync(
    config,
    `Host direct\n  HostName 127.0.0.1\n  Port ${sshd.port}\n  IdentityFile ${key}\n  User ${sshd.username}\n  ${common}
Host jumped\n  HostName localhost\n  Port ${sshd.port}\n  IdentityFile ${key}\n  User ${sshd.username}\n  ProxyJump direct\n  ${common}
`,
  )
  return {
    direct: ['-F', config, 'direct'],
    ProxyJump: ['-F', config, 'jumped'],
    Sallyport: [...clientOptions().options, direct],
  }
}
