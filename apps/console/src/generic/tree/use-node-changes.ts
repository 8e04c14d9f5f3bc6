import { useState } from 'react'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { askChange } from '../change-preview/ask-change.tsx'
import type { LeftTreeProps } from '../view/list-view.ts'
import { bareName, type TreeItem } from './node-items.ts'
import { NODES } from './node-paths.ts'
import type { TreeItems } from './use-tree-items.ts'

/** What can be done to the nodes of a tree; after each change tree and list are read again. */
export function useNodeChanges(tree: TreeItems, { query, setQuery, refreshList }: LeftTreeProps) {
  const [renaming, setRenaming] = useState<string>()
  const refresh = async () => {
    await Promise.all([tree.refresh(), refreshList()])
  }
  return {
    refresh,
    /** The id of the node that has a box for its new name. */
    renaming,
    askName: setRenaming,
    /** Makes a node below this one and asks for its name. */
    create: async (item: TreeItem) => {
      const made = await api.post<{ id: string }>(`${NODES}${item.meta.data.id}/children/`)
      tree.setOpen([...tree.open, item.id])
      await tree.load(item.id)
      await refresh()
      setRenaming(made.id)
    },
    rename: async (item: TreeItem, value: string) => {
      setRenaming(undefined)
      const name = value.trim()
      if (name === '' || name === bareName(item.name)) return
      await api.patch(`${NODES}${item.meta.data.id}/`, { value: name })
      await refresh()
    },
    remove: async (item: TreeItem) => {
      await api.delete(`${NODES}${item.meta.data.id}/`)
      showSuccess(t('Deleted'))
      if (query.node_id === item.meta.data.id) setQuery({ node_id: '' })
      await refresh()
    },
    /** Hangs a node below another, after a question. */
    move: async (dragged: TreeItem, target: TreeItem) => {
      const title = t('Move "{{name}}" under "{{target}}"?', {
        name: bareName(dragged.name),
        target: bareName(target.name),
      })
      const lead = t('Permissions on the new parent then reach its assets; those on the old one no longer do.')
      const address = `${NODES}${target.meta.data.id}/children/add/`
      const body = { nodes: [dragged.meta.data.id] }
      if (!(await askChange({ title, lead, okText: t('Move') }, { method: 'PUT', address, body }))) return
      try {
        await api.put(address, body)
      } finally {
        await tree.load(target.id)
        await refresh()
      }
    },
  }
}

export type NodeChanges = ReturnType<typeof useNodeChanges>
