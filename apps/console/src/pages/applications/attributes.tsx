/** Attributes of applications as lists and details show them. */
import type { Application } from '@sallyport/contract/resources/applications/application.ts'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import type { DetailItem } from '../../generic/view/detail-view.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { msg } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { type Attributes, machineOf } from '../application-place.ts'

export interface Attribute {
  /** In `attrs`. */
  name: string
  /** Marked with `msg`. */
  title: string
  words: (attrs: Attributes) => string
  /** Page of what it names. */
  address?: (attrs: Attributes) => string | undefined
  width?: number
  /** What people carry elsewhere. */
  copy?: boolean
}

const text = (name: string, title: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  title,
  words: (attrs) => String(attrs[name] ?? ''),
  ...more,
})

export const DATABASE: readonly Attribute[] = [
  text('host', msg('Host'), { copy: true }),
  text('port', msg('Port'), { width: 80 }),
  text('database', msg('Database')),
]
export const CLUSTER = text('cluster', msg('Cluster'), { copy: true })
export const PATH = text('path', msg('Application path'))

/** The machine that a remote app is started on. */
export const MACHINE: Attribute = {
  name: 'asset',
  title: msg('Asset'),
  words: (attrs) => machineOf(attrs).hostname ?? '',
  address: (attrs) => {
    const { id } = machineOf(attrs)
    return id && addressOf('AssetDetail', { id })
  },
}

const attrsOf = ({ attrs }: Pick<Application, 'attrs'>): Attributes => (attrs ?? {}) as Attributes

export function attributeColumn({ name, title, words, address, width }: Attribute): ColumnView<Application> {
  return {
    field: `attrs.${name}`,
    title,
    sorter: false,
    ...(width ? { width } : {}),
    cell: linkCell(
      (row) => address?.(attrsOf(row)),
      (row) => words(attrsOf(row)),
    ),
  }
}

export function attributeItem({ name, title, words, address, copy = false }: Attribute): DetailItem<Application> {
  return {
    field: `attrs.${name}`,
    title,
    copy,
    render: (row) => words(attrsOf(row)),
    ...(address ? { address: (row: Application) => address(attrsOf(row)) } : {}),
  }
}
