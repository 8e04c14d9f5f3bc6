import { PERMISSION } from '@sallyport/contract/access.ts'
import { DEVICES, type Device, type Platform, platform } from '@sallyport/contract/resources/assets/platform.ts'
import { TRIED } from '@sallyport/contract/tried.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormValues } from '../../generic/view/form-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { untriedHelp } from '../../lib/tried.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { assetsWith } from '../related.ts'

export const routes = resourcePlaces('Platform', {
  menu: 'assets',
  order: 60,
  bits: PERMISSION.super,
  path: '/assets/platforms',
  titles: {
    List: msg('Platforms'),
    Create: msg('Create platform'),
    Update: msg('Update platform'),
    Detail: msg('Platform detail'),
  },
})

/** Built-in platforms can be looked at and copied, never changed. */
const unlessBuiltIn = (row: Platform) => row.internal !== true || t('It is built in')
const onWindows = (values: FormValues) => values.base === 'Windows'
const isOther = (values: FormValues) => values.base === 'Other'
const meta = (row: Platform) => (row.meta ?? {}) as Record<string, unknown>
const metaOf = (body: FormValues, { security, console, device }: FormValues) => {
  if (onWindows(body)) return { security: security ?? 'any', console: String(console === true) }
  return isOther(body) && device ? { device } : {}
}
const metaText = (row: Platform) =>
  Object.entries(meta(row))
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')

export const platformPages = definePages<Platform & { id: string }>(platform, {
  list: {
    columns: ['name', 'base', 'charset', 'internal', 'comment'],
    defaultColumns: ['name', 'base', 'comment'],
    canUpdate: unlessBuiltIn,
    canDelete: unlessBuiltIn,
  },
  form: {
    groups: [
      {
        title: msg('Basic'),
        fields: [
          'name',
          { name: 'base', initial: 'Linux' },
          { name: 'charset', initial: 'utf8' },
          {
            name: 'security',
            label: msg('RDP security'),
            widget: 'select',
            local: { type: 'choice' },
            choices: ['rdp', 'nla', 'tls', 'any'].map((value) => ({ value, display_name: value.toUpperCase() })),
            help: msg('ANY agrees with the machine; NLA is usual for Windows.'),
            visibleWhen: onWindows,
            keepHidden: true,
          },
          {
            name: 'console',
            label: msg('RDP console'),
            local: { type: 'boolean' },
            visibleWhen: onWindows,
            keepHidden: true,
          },
          {
            name: 'device',
            label: msg('Kind of network equipment'),
            widget: 'select',
            local: { type: 'choice' },
            choices: Object.entries(DEVICES).map(([value, display_name]) => ({ value, display_name })),
            help: msg(
              'Batch commands are typed at its prompt, and system users are switched to by its enable or super. Empty: like any other machine.',
            ),
            depends: ({ device }) => {
              const help = untriedHelp(TRIED.devices[device as Device])
              return help ? { help } : {}
            },
            visibleWhen: isOther,
          },
          'comment',
        ],
      },
    ],
    fromRow: (row) => {
      const { security, console, device } = meta(row as unknown as Platform)
      return { ...row, security: security ?? 'any', console: console === true || console === 'true', device }
    },
    toBody: ({ security, console, device, ...body }) => ({
      ...body,
      meta: metaOf(body, { security, console, device }),
    }),
  },
  detail: {
    states: (row) => [row.internal ? { tone: 'quiet', words: t('Built in') } : undefined],
    fields: ['base', 'charset', { field: 'meta', render: (row) => metaText(row as unknown as Platform) }, 'comment'],
    related: ({ name }) => [assetsWith({ platform: name })],
    canUpdate: unlessBuiltIn,
    canDelete: unlessBuiltIn,
  },
})

export const pages = { Platform: platformPages }
