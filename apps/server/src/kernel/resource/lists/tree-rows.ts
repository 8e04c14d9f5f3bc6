import type { DescribedRows } from '../../access/guard.ts'
import { plainFields } from '../plain-fields.ts'

/** What items of every tree hold, for OPTIONS and the API document. */
export const TREE_ROWS: DescribedRows = {
  fields: plainFields({
    id: 'string',
    name: 'string',
    title: 'string',
    pId: 'string',
    isParent: 'boolean',
    open: 'boolean',
    iconSkin: 'string',
    meta: 'object',
  }),
}
