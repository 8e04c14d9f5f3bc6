import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../../config.ts'
import { type Check, notChecked, type Outcome, ok, type Place, type Words, warning, wrong } from '../check.ts'
import { portOwner } from './port-owner.ts'

/** What listens on a port of its own, by the setting of the port. */
interface OwnPort {
  setting: string
  host: string
  port: number
}

/** Those of this node; one that is any free port is none that another program could take. */
function portsOf(config: Config): OwnPort[] {
  const { host, roles } = config
  const link = config.linkHost ?? host
  const all: OwnPort[] = [
    { setting: 'SALLYPORT_HTTP_PORT', host, port: config.httpPort },
    { setting: 'SALLYPORT_LINK_PORT', host: link, port: config.linkPort },
  ]
  if (roles.includes('gateway'))
    all.push(
      { setting: 'SALLYPORT_SSH_PORT', host, port: config.sshPort },
      { setting: 'SALLYPORT_POSTGRESQL_PORT', host, port: config.postgresqlPort },
      { setting: 'SALLYPORT_MYSQL_PORT', host, port: config.mysqlPort },
      { setting: 'SALLYPORT_REDIS_PORT', host, port: config.redisPort },
      { setting: 'SALLYPORT_KUBERNETES_PORT', host, port: config.kubernetesPort },
      { setting: 'SALLYPORT_VNC_PORT', host, port: config.vncPort },
      { setting: 'SALLYPORT_RDP_PORT', host, port: config.rdpPort },
    )
  return all.filter(({ port }) => port !== 0)
}

const check: Check = {
  name: 'ports',
  title: 'Ports',
  async run(place) {
    const ports = portsOf(place.config)
    if (!ports.length) return ok((say) => say('Every port is whichever is free.'))
    return Promise.all(ports.map((one) => outcomeOf(one, place)))
  },
}
export default check

async function outcomeOf({ setting, host, port }: OwnPort, { serverPid }: Place): Promise<Outcome> {
  const fault = await listenFault(host, port)
  const values = { setting, host, port }
  if (!fault) {
    if (serverPid === undefined) return ok((say) => say('Port {{port}} is free.', values), setting)
    return warning(
      (say) => say('Nothing listens on port {{port}}, although Sallyport runs.', values),
      (say) => say('Run this with the settings of the service (--env-file), or restart Sallyport.'),
      setting,
    )
  }
  if (fault === 'EADDRINUSE') return ofTaken({ setting, port, serverPid })
  if (fault === 'EACCES')
    return wrong(
      (say) => say('This account may not listen on port {{port}}.', values),
      (say) =>
        say('Set {{setting}} to a port from 1024 up, or give the service the right to (CAP_NET_BIND_SERVICE).', values),
      setting,
    )
  return wrong(
    (say) => say('Sallyport cannot listen on {{host}}: it is no address of this machine.', values),
    (say) =>
      say('Set SALLYPORT_HOST, or SALLYPORT_LINK_HOST for the port between nodes, to an address of this machine.'),
    setting,
  )
}

/** The code of the system's refusal; undefined where one can listen. */
async function listenFault(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EADDRNOTAVAIL'
  } finally {
    server.close()
  }
}

async function ofTaken({
  setting,
  port,
  serverPid,
}: Pick<OwnPort, 'setting' | 'port'> & Pick<Place, 'serverPid'>): Promise<Outcome> {
  const owner = await portOwner(port, serverPid)
  const values = { setting, port, ...owner }
  if (owner && owner.pid === serverPid) return ok((say) => say('Sallyport listens on port {{port}}.', values), setting)
  const mend: Words = (say) => say('Stop what listens there, or set {{setting}} to another port.', values)
  if (owner) return wrong((say) => say('Port {{port}} is taken by {{name}} (process {{pid}}).', values), mend, setting)
  // A process of another account: it may well be the server.
  if (serverPid !== undefined)
    return notChecked(
      (say) => say('Port {{port}} is in use. By whom, this account cannot see.', values),
      (say) => say('Run this as root, or as the account of the service.'),
      setting,
    )
  return wrong((say) => say('Port {{port}} is taken by another program.', values), mend, setting)
}
