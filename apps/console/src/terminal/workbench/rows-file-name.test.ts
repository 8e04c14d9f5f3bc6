import { expect, test } from 'vitest'
import { rowsFileName } from './rows-file-name.ts'

const at = new Date(2026, 10, 28, 9, 5, 7)
const named = (statement: string, application = 'ledger') =>
  rowsFileName({ application, statement, format: 'csv', at }).replace(/_2026-11-28_09-05-07\.csv$/, '')

test('a file of rows is called after its application, the first table of its statement, and the time', () => {
  expect(rowsFileName({ application: '商店', statement: 'SELECT * FROM 商品', format: 'xlsx', at })).toBe(
    '商店_商品_2026-11-28_09-05-07.xlsx',
  )
  const statements = [
    "select a, 'out from here' from public.customers c join orders o on true",
    'SELECT * FROM "My ""odd"" table"',
    'select * from `shop`.`商品`',
    'select top 5 * from [dbo].[Order Details]',
    '-- from nobody\nselect * from (select 1 from inner_one) x',
    'SHOW TABLES',
    'select 6 * 7 as answer_to_everything_that_was_asked',
    '',
  ]
  expect(statements.map((one) => named(one))).toEqual([
    'ledger_public.customers',
    'ledger_My-odd-table',
    'ledger_shop.商品',
    'ledger_dbo.Order-Details',
    'ledger_inner_one',
    'ledger_SHOW-TABLES',
    'ledger_select-6-7-as-answer_to_',
    'ledger_rows',
  ])
  expect(named('select * from t', '../../库')).toBe('库_t')
})
