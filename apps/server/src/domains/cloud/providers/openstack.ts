import { type Json, jsonOf, listAt, textAt } from './answers.ts'
import { type CloudInstance, checkedRegion, type OpenCloud, pagesBy, textOf } from './cloud.ts'
import { CloudError, refusalOf } from './cloud-error.ts'
import { addressesOf } from './openstack-addresses.ts'
import type { CloudAnswer } from './transport.ts'

const PAGE = 100

/**
 * OpenStack by its identity service (Keystone v3: tokens, projects of a user) and compute service
 * (Nova: servers/detail). What tasks choose are the user's projects: their machines are read of all
 * regions of the service.
 */
export const openOpenStack: OpenCloud = (attrs, transport) => {
  const keystone = textOf(attrs, 'auth_url').replace(/\/+$/, '')
  const accepted = (answer: CloudAnswer): Json => {
    const found = jsonOf(answer)
    if (answer.status < 300) return found
    throw refusalOf(answer.status, textAt(found, 'error', 'title').replaceAll(' ', ''))
  }
  const signIn = (auth: object) =>
    transport.ask(
      () => ({
        method: 'POST',
        url: `${keystone}/auth/tokens`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ auth }),
      }),
      (answer) => {
        const found = accepted(answer)
        const token = String(answer.headers['x-subject-token'] ?? '')
        if (!/^[\x21-\x7e]+$/.test(token)) throw new CloudError('unreadable', 'no token')
        return { token, catalog: listAt(found, 'token', 'catalog') }
      },
    )
  const asUser = () =>
    signIn({
      identity: {
        methods: ['password'],
        password: {
          user: {
            name: textOf(attrs, 'username'),
            domain: { name: textOf(attrs, 'user_domain_name') },
            password: textOf(attrs, 'password'),
          },
        },
      },
      scope: 'unscoped',
    })
  const ask = (url: string, token: string) =>
    transport.ask(() => ({ method: 'GET', url, headers: { 'x-auth-token': token } }), accepted)
  return {
    async regions() {
      const { token } = await asUser()
      const projects = listAt(await ask(`${keystone}/auth/projects`, token), 'projects')
      return projects.map((one) => ({ id: textAt(one, 'id'), name: textAt(one, 'name') }))
    },
    async *instances(region) {
      const user = await asUser()
      const { token, catalog } = await signIn({
        identity: { methods: ['token'], token: { id: user.token } },
        scope: { project: { id: checkedRegion(region) } },
      })
      const compute = catalog.filter((one) => textAt(one, 'type') === 'compute')
      const endpoints = compute.flatMap((one) => listAt(one, 'endpoints'))
      const urls = endpoints.flatMap((one) => (textAt(one, 'interface') === 'public' ? textAt(one, 'url') : []))
      if (!urls.length) throw new CloudError('refused', 'no compute service')
      for (const url of urls)
        yield* pagesBy(async (mark) => {
          const query = `limit=${PAGE}${mark && `&marker=${encodeURIComponent(mark)}`}`
          const found = await ask(`${url.replace(/\/+$/, '')}/servers/detail?${query}`, token)
          const servers = listAt(found, 'servers')
          const hasMore = listAt(found, 'servers_links').some((link) => textAt(link, 'rel') === 'next')
          const there = servers.filter((one) => !['DELETED', 'SOFT_DELETED'].includes(textAt(one, 'status')))
          return { items: there.map(instanceOf), next: hasMore ? textAt(servers.at(-1), 'id') : '' }
        })
    },
  }
}

/**
 * It does not name the system of a machine: the makers of Windows machines note it in their
 * metadata.
 */
const instanceOf = (one: Json): CloudInstance => ({
  id: textAt(one, 'id'),
  name: textAt(one, 'name'),
  ...addressesOf(one),
  isWindows: /windows/i.test(textAt(one, 'metadata', 'os_type')),
})
