import { cleanup, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DetailPage } from '../generic/detail/DetailPage.tsx'
import { FormPage } from '../generic/form/FormPage.tsx'
import { pageRoutes } from '../navigation/routes.ts'
import { metadataFor, serve, show, signIn } from '../test/harness.tsx'
import { changeAuthPlanPages } from './accounts/change-auth-plan.page.tsx'
import { gatherTaskPages } from './accounts/gathered-user-task.page.tsx'
import { domainPages } from './assets/domain.page.tsx'
import { organizationPages } from './orgs/organization.page.tsx'
import { MENU } from './routes.ts'
import { userGroupPages } from './users/group.page.tsx'

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

beforeEach(() => {
  signIn({ settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Where the API has the row of a page: at the page's own path, but for those of organizations and of plans. */
const addressOfRow = (page: string) =>
  `/api/v1${page
    .replace(/^\/xpack\/orgs/, '/orgs/orgs')
    .replace(/^\/accounts\/(gathered-user|change-auth-plan)/, '/xpack/$1')
    .replace('/:id', `/${ID}`)}/`

describe('[B7.32] the row of a page is read at the address of the page', () => {
  test.each([
    ['UserGroup', userGroupPages],
    ['Domain', domainPages],
    ['Organization', organizationPages],
    ['AssetChangeAuthPlan', changeAuthPlanPages],
    ['GatherUserTask', gatherTaskPages],
  ] as const)('by detail page, update form and clone source of %s', async (base, pages) => {
    const { path } = pageRoutes(MENU.admin).find(({ name }) => name === `${base}Detail`) ?? { path: '' }
    const calls = serve(({ method, path: asked }) => {
      if (method === 'OPTIONS') return { body: metadataFor(pages.definition) }
      return asked.endsWith(`/${ID}/`)
        ? { body: { id: ID, name: 'one', resource_statistics: {} } }
        : { body: { count: 0, next: null, previous: null, results: [] } }
    })
    const at = `/at/${ID}`
    for (const open of [
      () => show(<DetailPage pages={pages} base={base} title="Detail" />, at, '/at/:id'),
      () => show(<FormPage pages={pages} base={base} title="Update" mode="update" />, at, '/at/:id'),
      () => show(<FormPage pages={pages} base={base} title="Create" mode="create" />, `/at?clone_from=${ID}`, '/at'),
    ]) {
      calls.length = 0
      open()
      const asked = () =>
        calls
          .filter(({ method, path: one }) => method === 'GET' && one.includes(ID))
          .map(({ path: one, query, body }) => [one, query.size, body])
      await waitFor(() => expect(asked()).toEqual([[addressOfRow(path), 0, undefined]]))
      cleanup()
    }
  })
})
