import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '../command.ts'
import { Failure } from '../exit.ts'
import { runProgram } from '../program.ts'
import { findAccount, findApplication, splitTarget } from '../targets.ts'

const TYPE = 'k8s'

export const kubectl: Command = {
  does: 'run kubectl in a cluster',
  usage: '[ACCOUNT@]CLUSTER [KUBECTL OPTIONS …]',
  passes: true,
  completes: 'databases',
  async run(context, { words: [word, ...more] }) {
    const { say } = context
    if (!word) throw new Failure('usage', say('Name a cluster; sallyport ls --databases lists yours'))
    const { account: wanted, target } = splitTarget(word)
    const client = context.client()
    const row = await findApplication(client, say, target)
    if (row.type !== TYPE) throw new Failure('failed', say('{{name}} is no Kubernetes cluster', { name: row.name }))
    const { account } = await findAccount(client, say, { family: 'applications', id: row.id }, wanted, [TYPE])
    const file = await client.post<string>('/api/v1/authentication/connection-token/kubeconfig/', {
      application: row.id,
      system_user: account.id,
    })
    // It has a connection token in it, which no command line and no variable has.
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-'))
    try {
      const path = join(folder, 'kubeconfig')
      writeFileSync(path, file, { mode: 0o600 })
      return await runProgram(context, 'kubectl', more, { KUBECONFIG: path })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
