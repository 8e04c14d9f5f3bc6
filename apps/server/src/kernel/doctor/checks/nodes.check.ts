import { answersAtLink } from '../../nodes/answers-at-link.ts'
import { runningNodes } from '../../nodes/nodes.ts'
import { type Check, type Outcome, ok, warning, wrong } from '../check.ts'

const ANSWER_MS = 5_000

/** This machine reaches each node; on the page, each node is asked for its own finding. */
const links: Check = {
  name: 'nodes',
  title: 'Node links',
  async run(place) {
    const { db } = await place.database()
    const nodes = await runningNodes(db)
    if (!nodes.length)
      return warning(
        (say) => say('No node of this installation runs.'),
        (say) => say('Start Sallyport, or name the folder of the installation in SALLYPORT_DATA_DIR.'),
      )
    return Promise.all(
      nodes.map(async (node): Promise<Outcome> => {
        const values = { name: node.name, address: `${node.address}:${node.port}` }
        if (await answersAtLink(node, ANSWER_MS))
          return ok((say) => say('{{name}} answers at {{address}}.', values), node.name)
        return wrong(
          (say) => say('{{name}} does not answer at {{address}}.', values),
          (say) =>
            say(
              'Open that port between the nodes, or set SALLYPORT_LINK_HOST, SALLYPORT_LINK_PORT and SALLYPORT_LINK_ADDRESS of that node to where the others reach it.',
            ),
          node.name,
        )
      }),
    )
  },
}

const roles: Check = {
  name: 'nodes.roles',
  title: 'Work of the nodes',
  async run(place) {
    const { db } = await place.database()
    const nodes = await runningNodes(db)
    const done = new Set(nodes.flatMap((node) => node.roles))
    const missing = (['api', 'gateway', 'worker'] as const).filter((role) => !done.has(role))
    const values = { count: nodes.length, roles: missing.join(', ') }
    if (nodes.length && missing.length)
      return wrong(
        (say) => say('No running node has the role {{roles}}.', values),
        (say) =>
          say(
            'Start a node with it in SALLYPORT_ROLES: without worker nothing is done in the background, without gateway nobody connects.',
          ),
      )
    return ok((say) => say('{{count|node runs|nodes run}}, and together they do all work.', values))
  },
}

export default [links, roles]
