/** From the sign-in over HTTP to a command on a server, by the client that people have. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describeMachine } from '../../e2e/machine.ts'

/**
 * Describes the sshd to the installation and runs a command there as `admin`, by `ssh` through the
 * port for clients.
 * @returns what the command has written
 */
export async function firstSession({ url, sshPort, password, sshd, command }) {
  await describeMachine({ url }, sshd, password)
  return commandThrough({ sshPort, password, sshd, command })
}

/** The same on a machine that is described already. */
export async function commandThrough({ sshPort, password, sshd, command }) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-first-session-'))
  try {
    const askpass = join(folder, 'askpass')
    writeFileSync(askpass, '#!/bin/sh\nprintf "%s\\n" "$TEST_PASSWORD"\n')
    chmodSync(askpass, 0o755)
    const options = [
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
      'LogLevel=ERROR',
      'PubkeyAuthentication=no',
    ]
    // Not waited for by standing still: parts of what it connects to may run in this process.
    const child = spawn(
      'ssh',
      [
        ...['-F', '/dev/null', '-p', String(sshPort), ...options.flatMap((option) => ['-o', option])],
        ...[`admin@${sshd.username}@127.0.0.1@127.0.0.1`, command],
      ],
      { env: { ...process.env, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', TEST_PASSWORD: password } },
    )
    child.stdin.end()
    const [[stdout, stderr]] = await Promise.all([
      Promise.all([child.stdout, child.stderr].map((stream) => text(stream))),
      once(child, 'close'),
    ])
    return stdout || stderr
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
