import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import type { Row } from '../../lib/api.ts'
import { isEndless } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { showField } from '../cells/cells.tsx'
import type { DetailItem, FactGroup } from '../view/detail-view.ts'
import { kindOf, type RemoteField, useMetadata } from '../view/metadata.ts'
import { CopyText } from './CopyText.tsx'
import { type Fact, Facts } from './Facts.tsx'
import { Moment } from './Moment.tsx'

interface DetailCardProps {
  definition: Pick<ResourceDefinition, 'path'>
  row: Row
  items: readonly (string | DetailItem)[]
  /** Further facts, each group under its title. */
  groups?: readonly FactGroup[]
  title?: string
}

/**
 * Key and value of the named fields; labels and choices come from the metadata. Those that say
 * nothing are folded away behind a line that counts them: the empty, a No, none of something, an
 * end that never comes.
 */
export function DetailCard({ definition, row, items, groups = [], title }: DetailCardProps) {
  const [open, setOpen] = useState(false)
  const metadata = useMetadata(definition.path)
  const fields = metadata.data?.actions.GET ?? {}
  const shown = [{ title: '', fields: items }, ...groups].map((group) => ({
    title: group.title,
    facts: group.fields.flatMap((entry) => factOf(entry, row, fields) ?? []),
  }))
  const empty = shown.flatMap(({ facts }) => facts.filter(({ isFolded }) => isFolded))
  return (
    <section className="panel">
      <h2>{title ?? t('Basic info')}</h2>
      {metadata.isError && <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />}
      {shown.map((group) => {
        const facts = group.facts.filter(({ isFolded }) => !isFolded)
        return (
          facts.length > 0 && (
            <div className="fact-group" key={group.title}>
              {group.title && <h3>{t(group.title)}</h3>}
              <Facts facts={facts} />
            </div>
          )
        )
      })}
      {empty.length > 0 && (
        <div className="fact-group folded">
          <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
            {t('{{count|empty field|empty fields}}', { count: empty.length })}
          </button>
          {open && (
            <Facts facts={empty.map((fact) => ({ ...fact, content: isNothing(fact.content) ? '-' : fact.content }))} />
          )}
        </div>
      )}
    </section>
  )
}

const isNothing = (content: ReactNode) => content === '' || content === null || content === undefined

interface FoldableFact extends Fact {
  isFolded: boolean
}

function factOf(
  entry: string | DetailItem,
  row: Row,
  fields: Readonly<Record<string, RemoteField>>,
): FoldableFact | undefined {
  const item: DetailItem = typeof entry === 'string' ? { field: entry } : entry
  if (item.has?.(row) === false) return undefined
  const field = fields[item.field]
  const label = item.title ? t(item.title) : (field?.label ?? item.field)
  const content = contentOf(item, label, row, field)
  const value = row[item.field]
  const kind = field && kindOf(field)
  const isNone = !item.render && (value === false || value === 0 || (kind === 'datetime' && isEndless(value)))
  return { field: item.field, label, content, isFolded: isNone || isNothing(content) }
}

function contentOf(item: DetailItem, label: string, row: Row, field: RemoteField | undefined): ReactNode {
  const value = row[item.field]
  const content = item.render ? item.render(row) : plain(item.field, row, field)
  if (content === '' || content === null || content === undefined) return ''
  if (item.copy) return <CopyText text={String(content)} label={label} />
  const address = item.address?.(row)
  if (address) return <Link to={address}>{content}</Link>
  return field && kindOf(field) === 'datetime' && !item.render ? <Moment value={value} /> : content
}

function plain(name: string, row: Row, field: RemoteField | undefined): ReactNode {
  if (field && kindOf(field) === 'boolean') return row[name] ? t('Yes') : t('No')
  return showField(name, row, field)
}
