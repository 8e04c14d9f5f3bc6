import { callerOf } from '../../../kernel/access/call.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import { attachment } from '../../../kernel/http/attachment.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type SshAccount, sshAccounts } from '../../perms/index.ts'
import { hostOf } from './client-files.ts'

/** Machines of a file; who has more than that names them in the menu. */
const MOST = 5_000
/** Behind each name, so that none is taken for a host of the network. */
const ENDING = 'via'

/** Letters that mean themselves in ssh_config, and to shells. */
const PLAIN = /^[\w.+-]+$/
/** The same in the name of a person, which may have @ or # in it, but not both: one of them parts the names. */
const PLAIN_PERSON = /^\w(?:[\w.+@-]*|[\w.+#-]*)$/

/** Serves the file that makes a person's machines known to `ssh`, and to all that read its configuration. */
export function registerSshConfig(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/authentication/ssh-config/',
    config: { access: ['authenticated'], rootOrg: true, summary: 'My machines as a file for ssh', answers: 'file' },
    handler: async (request, reply) => {
      const { id, username } = callerOf(request.call)
      if (!PLAIN_PERSON.test(username))
        throw refused('username_not_plain', 'Your username has letters that a configuration of ssh cannot hold')
      const accounts = await sshAccounts(kernel.db, id, MOST)
      const host = hostOf(kernel, request).replace(/^\[(.*)\]$/, '$1')
      reply.type('text/plain; charset=utf-8').header('Content-Disposition', attachment('sallyport.config'))
      return sshConfig({ username, host, port: kernel.config.sshPort, accounts })
    },
  })
}

export interface SshConfigParts {
  username: string
  host: string
  port: number
  accounts: readonly SshAccount[]
}

/**
 * A configuration of ssh (ssh_config(5)): one name for each machine, which takes its first account, and
 * one for each account. Nothing of a name that could mean something to a reader gets into it.
 */
export function sshConfig({ username, host, port, accounts }: SshConfigParts): string {
  const taken = new Set<string>()
  const alias = (wanted: string, id: string): string => {
    const name = wanted.replace(/[^\w.-]+/g, '-').replace(/^[-.]+/, '')
    const free = name && !taken.has(name.toLowerCase()) ? name : [name, id].filter(Boolean).join('-')
    taken.add(free.toLowerCase())
    return `${free}.${ENDING}`
  }
  const ofName = Map.groupBy(accounts, ({ hostname }) => hostname.toLowerCase())
  const addresses = Map.groupBy(accounts, ({ ip }) => ip.toLowerCase())
  const isOne = (some: readonly SshAccount[] = [], asset: string) => some.every((one) => one.asset === asset)
  const blocks: string[] = []
  for (const ofAsset of Map.groupBy(accounts, ({ asset }) => asset).values()) {
    const [first] = ofAsset
    if (!first) continue
    const { asset, hostname } = first
    const name = hostname.toLowerCase()
    const isClear = PLAIN.test(hostname) && isOne(ofName.get(name), asset) && isOne(addresses.get(name), asset)
    const machine = alias(hostname, asset)
    for (const one of ofAsset) {
      const isOnly = ofAsset.filter((other) => other.username === one.username).length === 1
      const target = isClear && isOnly && PLAIN.test(one.username) ? [one.username, hostname] : [one.system_user, asset]
      const own = alias(`${one.username}.${machine.slice(0, -ENDING.length - 1)}`, one.system_user)
      blocks.push(
        `Host ${one === first ? `${machine} ` : ''}${own}`,
        // As the SSH entry reads it: by @, or by # where a name has an @ in it.
        `  User ${[username, ...target].join(username.includes('@') ? '#' : '@')}`,
        '',
      )
    }
  }
  return [
    '# Save this as ~/.ssh/sallyport.config, and make this the first line of ~/.ssh/config:',
    '#   Include sallyport.config',
    '',
    ...blocks,
    `Host *.${ENDING}`,
    `  HostName ${host}`,
    `  Port ${port}`,
    '  ServerAliveInterval 30',
    '',
  ].join('\n')
}
