import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { LazyFormPage } from '../../generic/form/lazy-form.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { rulePagesOf } from './rule-pages.tsx'

/**
 * Rules have no list page of their own: they live in their filter's tab
 * (docs/rules/assets.md#command_filter_rule).
 */
export const routes = resourcePlaces('CommandFilterRules', {
  menu: 'assets',
  order: 61,
  path: '/assets/command-filter-rules',
  active: '/assets/cmd-filters',
  titles: { Create: msg('Create command filter rule'), Update: msg('Update command filter rule') },
})

function RuleForm({ title, mode }: PageProps & { mode: 'create' | 'update' }) {
  const filter = useSearchParams()[0].get('filter') ?? ''
  const pages = useMemo(() => rulePagesOf(filter), [filter])
  return <LazyFormPage pages={pages} base="CommandFilterRules" title={title} mode={mode} />
}

export const pages = {
  CommandFilterRulesCreate: (props: PageProps) => <RuleForm {...props} mode="create" />,
  CommandFilterRulesUpdate: (props: PageProps) => <RuleForm {...props} mode="update" />,
}
