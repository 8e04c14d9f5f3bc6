/** A process that judges the same denied text over and over until SIGTERM, and then prints how often it let it pass. */
import { judge } from './judgement.ts'
import { RuleSet } from './rule-set.ts'
import { rule } from './rules-fixture.ts'

const rules = new RuleSet([rule('rm', 'rm\\s.*-.*r.*f')])
const text = `rm -rf /${'x'.repeat(400)}`
const count = { judged: 0, allowed: 0 }

process.on('SIGTERM', () => {
  console.log(JSON.stringify(count))
  process.exit()
})
console.log('begun')
judgeOn()

function judgeOn(): void {
  for (let n = 0; n < 20; n++) {
    count.judged++
    if (judge(rules, text, false).action !== 'deny') count.allowed++
  }
  setImmediate(judgeOn)
}
