import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { ReactNode } from 'react'
import type { Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { showField } from '../cells/cells.tsx'
import type { DetailItem } from '../view/detail-view.ts'
import { kindOf, useMetadata } from '../view/metadata.ts'

interface DetailCardProps {
  definition: Pick<ResourceDefinition, 'path'>
  row: Row
  items: readonly (string | DetailItem)[]
  title?: string
}

/**
 * Key and value of the named fields; labels and choices come from the metadata, an empty value is a
 * dash.
 */
export function DetailCard({ definition, row, items, title }: DetailCardProps) {
  const fields = useMetadata(definition.path).data?.actions.GET ?? {}
  return (
    <section className="panel">
      <h2>{title ?? t('Basic info')}</h2>
      <table className="facts">
        <tbody>
          {items.map((entry) => {
            const item: DetailItem = typeof entry === 'string' ? { field: entry } : entry
            if (item.has?.(row) === false) return null
            const field = fields[item.field]
            return (
              <tr key={item.field}>
                <th scope="row">{item.title ? t(item.title) : (field?.label ?? item.field)}</th>
                <td>
                  {item.render
                    ? item.render(row)
                    : dash(
                        field && kindOf(field) === 'boolean'
                          ? row[item.field]
                            ? t('Yes')
                            : t('No')
                          : showField(item.field, row, field),
                      )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

function dash(content: ReactNode): ReactNode {
  return content === '' || content === null || content === undefined ? '-' : content
}
