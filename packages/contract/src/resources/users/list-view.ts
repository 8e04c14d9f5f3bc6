import { LIST_VIEW_NAME_MAX } from '../../constants.ts'
import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/** Most views of one person, of all lists together. */
export const OWN_LIST_VIEWS_MAX = 300
/** Characters of what one view searches for, filters and shows, as JSON. */
export const LIST_VIEW_LENGTH_MAX = 4_096

/**
 * Views of the console's lists that a person has named: what is searched for and filtered, the order,
 * the columns and how close the rows are. They follow the person to every browser, and nobody else
 * reads them.
 */
export const listView = defineResource({
  name: 'list_view',
  path: '/api/v1/users/list-views/',
  label: 'List view',
  scope: 'self',
  operations: [...CRUD],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    list: { type: 'string', label: 'List', required: true, maxLength: 200 },
    name: { type: 'string', label: 'Name', required: true, maxLength: LIST_VIEW_NAME_MAX },
    is_default: { type: 'boolean', label: 'Shown first', default: false },
    search: { type: 'strings', label: 'Searched for', maxItems: 30, default: [] },
    /** Texts by the name of a filter. */
    filters: { type: 'object', label: 'Filters', default: {} },
    /** A field, with a minus before it where it descends; empty for the list's own order. */
    order: { type: 'string', label: 'Order of rows', maxLength: 100, default: '' },
    /** None: the list's own. */
    columns: { type: 'strings', label: 'Shown columns', maxItems: 100, default: [] },
    density: {
      type: 'choice',
      label: 'Density',
      choices: { comfortable: 'Comfortable', compact: 'Compact' },
      default: 'comfortable',
    },
  },
  search: ['name'],
  filters: ['list', 'name'],
  ordering: ['list', 'name'],
  defaultOrder: ['list', 'name'],
})
export type ListView = Row<typeof listView>
export type ListViewDraft = Draft<typeof listView>
