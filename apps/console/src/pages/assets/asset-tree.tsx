import { node } from '@sallyport/contract/resources/assets/node.ts'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { askChange } from '../../generic/change-preview/ask-change.tsx'
import { DetailCard } from '../../generic/detail/DetailCard.tsx'
import { nodeTree } from '../../generic/tree/NodeTree.tsx'
import { bareName, type TreeItem } from '../../generic/tree/node-items.ts'
import type { NodeMenuEntry } from '../../generic/tree/node-menu.ts'
import { pickAssets } from '../../generic/widgets/remote-select/pick-assets.ts'
import type { Query, Row } from '../../lib/api.ts'
import { api } from '../../lib/api.ts'
import { readCookie, writeCookie } from '../../lib/cookies.ts'
import { msg, t } from '../../lib/i18n.ts'
import { askWith } from '../dialogs.tsx'
import { runTask } from '../run-task.ts'

const NODES = node.path
const ONLY_CURRENT = 'show_current_asset'
const of = (item: TreeItem) => `${NODES}${item.meta.data.id}/`

/** Whether a node's own assets are listed or those of its subtree, kept for a day. */
export const currentNodeQuery = (): Query => ({ show_current_asset: readCookie(ONLY_CURRENT) === '1' ? 1 : 0 })

const showsOnlyCurrent = (query: Readonly<Record<string, string>>) =>
  (query.show_current_asset || readCookie(ONLY_CURRENT)) === '1'

function scope(name: string, title: string, value: '0' | '1'): NodeMenuEntry {
  return {
    name,
    title,
    has: (_item, query) => showsOnlyCurrent(query) !== (value === '1'),
    run: (item, { setQuery }) => {
      writeCookie(ONLY_CURRENT, value, 1)
      setQuery({ show_current_asset: value, node_id: item.meta.data.id })
    },
  }
}

const QUESTIONS = {
  add: (count: number, node: string) => ({
    title: t('Add {{count|asset|assets}} to "{{node}}"?', { count, node }),
    okText: t('Add'),
  }),
  replace: (count: number, node: string) => ({
    title: t('Move {{count|asset|assets}} to "{{node}}"?', { count, node }),
    lead: t('They are taken out of all other nodes.'),
    okText: t('Move'),
  }),
}

function take(name: string, title: string, call: 'add' | 'replace'): NodeMenuEntry {
  return {
    name,
    title,
    run: async (item, { refresh }) => {
      const assets = await pickAssets({ title: t(title), chosen: [] })
      if (!assets?.length) return
      const [address, body] = [`${of(item)}assets/${call}/`, { assets }]
      const question = QUESTIONS[call](assets.length, bareName(item.name))
      if (!(await askChange(question, { method: 'PUT', address, body }))) return
      await api.put(address, body)
      showSuccess(t('Saved'))
      await refresh()
    },
  }
}

/**
 * The tree of the asset page with what can be done to a node there
 * (docs/rules/assets.md#tree_menu).
 */
export const AssetTree = nodeTree({
  assetPage: 'AssetDetail',
  menu: [
    take('add_assets', msg('Add assets to node'), 'add'),
    take('move_assets', msg('Move assets to node'), 'replace'),
    {
      name: 'refresh_hardware',
      title: msg('Refresh hardware of the node'),
      run: (item) => runTask(`${of(item)}tasks/`, { action: 'refresh' }),
    },
    {
      name: 'test',
      title: msg('Test connectivity of the node'),
      run: (item) => runTask(`${of(item)}tasks/`, { action: 'test' }),
    },
    scope('only_current', msg('Show assets of this node only'), '1'),
    scope('all_children', msg('Show assets of the whole subtree'), '0'),
    {
      name: 'check_amount',
      title: msg('Recount assets'),
      run: () => runTask(`${NODES}check_assets_amount_task/`),
    },
    {
      name: 'info',
      title: msg('Node information'),
      run: async (item) => {
        const row = await api.get<Row>(of(item))
        await askWith(
          t('Node information'),
          <DetailCard definition={node} row={row} items={['id', 'value', 'full_value']} />,
        )
      },
    },
  ],
})
