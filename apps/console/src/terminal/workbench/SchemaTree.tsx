import { ColumnsIcon, DatabaseIcon, EyeIcon, KeyRoundIcon, MinusIcon, RotateCwIcon, TableIcon } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { t } from '../../lib/i18n.ts'
import { AssetTreeView } from '../assets/AssetTreeView.tsx'
import { EMPTY_TREE, TOP, type TreeItem, treeRows, withChildren, withLoading, withOpen } from '../assets/asset-tree.ts'
import type { Ask } from './workbench-store.ts'

export interface SchemaTreeProps {
  ask: Ask
  /** A person chose a column, or a table by its name: it goes where they write. */
  onInsert: (name: string) => void
  quoted: (name: string) => string
}

type Level = 'schema' | 'relation' | 'column'

/** An item of this tree; its id says where it stands. */
function itemOf(level: Level, path: readonly string[], title = '', kind = ''): TreeItem {
  const name = path.at(-1) ?? ''
  return {
    id: JSON.stringify(path),
    name: level === 'column' && title ? `${name}  ${title}` : name,
    title: level === 'column' ? '' : title,
    pId: path.length > 1 ? JSON.stringify(path.slice(0, -1)) : TOP,
    isParent: level !== 'column',
    meta: { type: level, data: { id: name, type: kind } },
  }
}

/** Shown in an empty schema: an open one would look as if it were still read. */
const nothingIn = (path: readonly string[]): TreeItem => ({
  ...itemOf('column', [...path, '']),
  name: t('No tables'),
  chkDisabled: true,
  meta: { type: 'nothing', data: { id: '' } },
})

/** Content of a relation, a schema, or the database. */
const questionOf = (schema: string | undefined, relation: string | undefined): Parameters<Ask>[0] => {
  if (schema === undefined) return { about: 'schemas' }
  return relation === undefined ? { about: 'relations', schema } : { about: 'columns', schema, relation }
}

/** Schemas, what is in them, and its columns; each level is read when it is opened. */
export function SchemaTree({ ask, onInsert, quoted }: SchemaTreeProps) {
  const [tree, setTree] = useState(EMPTY_TREE)
  const [problem, setProblem] = useState<string>()
  const rows = useMemo(() => treeRows(tree), [tree])

  const read = async (key: string): Promise<void> => {
    const path: string[] = key === TOP ? [] : JSON.parse(key)
    const [schema, relation] = path
    setTree((now) => withLoading(now, key, true))
    setProblem(undefined)
    try {
      const { rows: found, isCut } = await ask(questionOf(schema, relation))
      const level: Level = path.length === 0 ? 'schema' : path.length === 1 ? 'relation' : 'column'
      const items = found.map(([name = '', kind, , primary]) =>
        itemOf(level, [...path, name], kind, level === 'column' ? primary : kind),
      )
      if (level === 'relation' && !items.length) items.push(nothingIn(path))
      setTree((now) => withOpen(withChildren(now, key, items), key, true))
      if (isCut) setProblem(t('There is more than is shown here.'))
    } catch (error) {
      setTree((now) => withLoading(now, key, false))
      setProblem((error as Error).message)
    }
  }
  const refresh = () => {
    setTree(EMPTY_TREE)
    void read(TOP)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once; again only when somebody asks for it
  useEffect(() => void read(TOP), [])

  return (
    <div className="tool-pane-side">
      <div className="wb-schema-head">
        <h2>{t('Schema')}</h2>
        <Button
          type="text"
          size="small"
          icon={<RotateCwIcon />}
          aria-label={t('Reload the schema')}
          onClick={refresh}
        />
      </div>
      <AssetTreeView
        rows={rows}
        label={t('Schema')}
        iconOf={iconOf}
        onOpen={(key) => {
          if (tree.children.has(key)) setTree((now) => withOpen(now, key, true))
          else void read(key)
        }}
        onClose={(key) => setTree((now) => withOpen(now, key, false))}
        onChoose={({ meta }) => meta.type === 'column' && onInsert(quoted(meta.data.id))}
        onMenu={(row, event) => {
          // A table opens on a click: its name is taken by the other button.
          event.preventDefault()
          if (row?.item.meta.type === 'relation') onInsert((JSON.parse(row.item.id) as string[]).map(quoted).join('.'))
        }}
      />
      {tree.loading.has(TOP) && <Skeleton lines={4} />}
      {tree.children.get(TOP)?.length === 0 && (
        <p className="tool-pane-problem">{t('This account sees no schemas.')}</p>
      )}
      {problem && (
        <p className="tool-pane-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

function iconOf({ meta }: TreeItem) {
  if (meta.type === 'nothing') return <MinusIcon />
  if (meta.type === 'schema') return <DatabaseIcon />
  if (meta.type === 'column') return meta.data.type === 'PRI' ? <KeyRoundIcon /> : <ColumnsIcon />
  return meta.data.type === 'view' ? <EyeIcon /> : <TableIcon />
}
