import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const docs = fileURLToPath(new URL('..', import.meta.url))
const [, repository] = /<sluice\.repository>(.+)<\//.exec(readFileSync(posix.join(docs, '../pom.xml'), 'utf8'))

export default defineConfig({
  title: 'Sluice',
  description: 'Have I seen this id before? Deduplication for Flink and Kafka, in a few bytes per id, with a stated error.',
  lang: 'en',
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ['**/node_modules/**'],
  vite: {
    // Made by the module calculator, see build.sh.
    resolve: { alias: { '@calculator': fileURLToPath(new URL('../calculator/target/site/calculator.js', import.meta.url)) } },
  },
  rewrites: { 'benchmarks/README.md': 'benchmarks/index.md' },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    config(md) {
      // A file that is no page of the site is read in the repository.
      const open = md.renderer.rules.link_open ?? ((tokens, at, options, env, self) => self.renderToken(tokens, at, options))
      md.renderer.rules.link_open = (tokens, at, options, env, self) => {
        const href = tokens[at].attrGet('href')
        if (href?.endsWith('benchmarks/README.md')) {
          tokens[at].attrSet('href', href.replace('README.md', 'index.md'))
        } else if (href && !/^([a-z]+:|[/#])/.test(href)) {
          const path = posix.join('docs', posix.dirname(env.relativePath), href)
          if (!path.startsWith('docs/')) {
            tokens[at].attrSet('href', `https://github.com/${repository}/blob/main/${path}`)
          }
        }
        return open(tokens, at, options, env, self)
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Operations', link: '/operations' },
      { text: 'Benchmarks', link: '/benchmarks/' },
      // Javadoc, which is no page of this site: see build.sh.
      { text: 'API', link: '/api/index.html', target: '_self' },
    ],
    sidebar: [
      {
        text: 'Begin',
        items: [
          { text: 'Start in five minutes', link: '/start' },
          { text: 'Concepts', link: '/concepts' },
        ],
      },
      {
        text: 'Use it',
        items: [
          { text: 'A Kafka topic', link: '/dedup-job' },
          { text: 'A SQL table', link: '/sql' },
          { text: 'A DataStream job', link: '/datastream' },
          { text: 'Flags in state', link: '/state-backend' },
          { text: 'Which door has what', link: '/abilities' },
          { text: 'From Cassandra to Flink', link: '/idempotent-counters' },
          { text: 'Two replicas', link: '/replicas' },
          { text: 'State machines', link: '/machines' },
          { text: 'TCP flows of captures', link: '/flows' },
          { text: 'Without Flink', link: '/library' },
          { text: 'Test a job', link: '/testing' },
        ],
      },
      {
        text: 'Run it',
        items: [
          { text: 'Operations', link: '/operations' },
          { text: 'Options', link: '/options' },
          { text: 'Sizing', link: '/sizing' },
          { text: 'Plan, inspect, verify', link: '/tools' },
          { text: 'What you may rely on', link: '/contract' },
          { text: 'Limits', link: '/limits' },
          { text: 'Managed services', link: '/managed-services' },
          { text: 'Stability', link: '/stability' },
          { text: 'Changelog', link: `https://github.com/${repository}/blob/main/CHANGELOG.md` },
        ],
      },
      {
        text: 'What tries to break it',
        collapsed: true,
        items: [
          { text: 'Reliability', link: '/reliability' },
          { text: "Flink's own tests", link: '/reliability/flink-suite' },
          { text: 'Chaos', link: '/reliability/chaos' },
          { text: 'Fuzzing', link: '/reliability/fuzzing' },
          { text: 'Mutation testing', link: '/reliability/mutation' },
          { text: 'Schedules', link: '/reliability/schedules' },
          { text: 'Soak', link: '/reliability/soak' },
        ],
      },
      {
        text: 'Benchmarks',
        collapsed: true,
        items: [
          { text: 'All numbers', link: '/benchmarks/' },
          { text: 'Over time', link: '/benchmarks/timeline' },
          { text: 'Operators', link: '/benchmarks/operators' },
          { text: 'State backend', link: '/benchmarks/state-backend' },
          { text: 'Latency', link: '/benchmarks/latency' },
          { text: 'Kafka, end to end', link: '/benchmarks/kafka' },
          { text: 'Filters side by side', link: '/benchmarks/side-by-side' },
          { text: 'Forgetful Bloom filter', link: '/benchmarks/forgetful-bloom-filter' },
          { text: 'Quotient filter', link: '/benchmarks/quotient-filter' },
          { text: 'Cascade filter', link: '/benchmarks/cascade-filter' },
          { text: 'Counting cuckoo filter', link: '/benchmarks/counting-cuckoo-filter' },
          { text: 'Key-value Bloom filter', link: '/benchmarks/key-value-bloom-filter' },
          { text: 'State machines', link: '/benchmarks/machines' },
          { text: 'TCP flows', link: '/benchmarks/flows' },
          { text: 'Replicas', link: '/benchmarks/replicas' },
        ],
      },
      {
        text: 'Inside',
        collapsed: true,
        items: [
          { text: 'Architecture', link: '/architecture' },
          { text: 'Design', link: '/design' },
          { text: 'The four papers', link: '/papers' },
          { text: 'Cascade filter and Flink', link: '/papers/cascade-filter' },
          { text: 'Counting cuckoo filter and Flink', link: '/papers/counting-cuckoo-filter' },
          { text: 'Key-value Bloom filter and Flink', link: '/papers/key-value-bloom-filter' },
          { text: 'Formats', link: '/formats' },
          { text: 'How to release', link: '/releasing' },
        ],
      },
    ],
  },
})
