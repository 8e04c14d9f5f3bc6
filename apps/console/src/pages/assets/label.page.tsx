import { type Label, label } from '@sallyport/contract/resources/assets/label.ts'
import { countCell } from '../../generic/cells/cells.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'

export const routes = resourcePlaces('Label', {
  menu: 'assets',
  order: 70,
  path: '/assets/labels',
  titles: { List: msg('Labels'), Create: msg('Create label'), Update: msg('Update label') },
})

export const labelPages = definePages<Label>(label, {
  list: {
    columns: [
      'name',
      { field: 'value', editable: true },
      { field: 'assets', cell: countCell, width: 110 },
      'is_active',
      'date_created',
      { field: 'comment', editable: true },
    ],
    defaultColumns: ['name', 'value', 'assets', 'comment'],
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'value'] },
      { title: msg('Assets@@field'), fields: ['assets'] },
      { title: msg('Other'), fields: ['comment'] },
    ],
  },
})

export const pages = { Label: labelPages }
