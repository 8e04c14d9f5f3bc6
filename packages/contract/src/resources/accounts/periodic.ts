/** Fields of plans that run by the clock (docs/rules/accounts.md#periodic_fields). */
export const PERIODIC_FIELDS = {
  is_periodic: { type: 'boolean', label: 'Runs by itself', default: true },
  crontab: {
    type: 'string',
    label: 'By the clock',
    helpText: 'Minute, hour, day, month, weekday, such as 0 3 * * 1 for Mondays at 3; it counts before the hours',
    nullable: true,
    maxLength: 128,
  },
  interval: { type: 'integer', label: 'Every so many hours', nullable: true, min: 1, max: 65_535, default: 24 },
  periodic_display: { type: 'string', label: 'Schedule', readOnly: true },
} as const
