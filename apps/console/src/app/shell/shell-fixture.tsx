/** For tests of the shell: a person, a screen width that tests may change, and pages around it. */
import { createMemoryRouter } from 'react-router'
import { queryClient } from '../../lib/query.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { pageRoutes, setRoutes } from '../../navigation/routes.ts'
import { showRouter } from '../../test/harness.tsx'
import { Shell } from './Shell.tsx'

/** A screen whose width decides every `max-width` query. */
export function screenOf(start: number): { resize: (width: number) => void } {
  let width = start
  const queries: { media: string; list: MediaQueryList; matched: boolean }[] = []
  const matches = (media: string) => width <= Number(/max-width: ([\d.]+)px/.exec(media)?.[1] ?? -1)
  window.matchMedia = (media) => {
    const list = new EventTarget() as MediaQueryList
    Object.defineProperty(list, 'matches', { get: () => matches(media) })
    Object.assign(list, { addListener: () => {}, removeListener: () => {} })
    queries.push({ media, list, matched: matches(media) })
    return list
  }
  return {
    resize(next) {
      width = next
      for (const query of queries) {
        if (query.matched === matches(query.media)) continue
        query.matched = !query.matched
        query.list.dispatchEvent(new Event('change'))
      }
    },
  }
}

/** The shell around pages that show their title and, where given, something of their own. */
export function showShell(
  menu: readonly MenuEntry[],
  address: string,
  contents: Readonly<Record<string, () => React.ReactNode>> = {},
) {
  queryClient.clear()
  const routes = pageRoutes(menu)
  setRoutes(routes)
  const router = createMemoryRouter(
    [
      {
        element: <Shell menu={menu} />,
        children: routes.map(({ path, name, title }) => {
          const Content = contents[name]
          return {
            path,
            element: (
              <PageFrame key={name} title={title}>
                {Content ? <Content /> : null}
              </PageFrame>
            ),
          }
        }),
      },
    ],
    { initialEntries: [address] },
  )
  return { ...showRouter(router), router }
}
