// Counts and learns as a window's server does: `statistics-counter FOLDER TIMES`. Ends after its last write.
import path from 'node:path';
import { LearnedConfidence } from '../../../server/src/completion/confidence/learned-confidence.js';
import { Statistics } from '../../../server/src/completion/feedback/statistics.js';
import { LatencyStats } from '../../../server/src/completion/trigger/latency-stats.js';
import { JsonFile } from '../../../server/src/util/files/json-file.js';

const [folder = '', times = '0'] = process.argv.slice(2);
const warnings: string[] = [];
const warn = (text: string): void => void warnings.push(text);
const log = { error: warn, warn, info: () => undefined, debug: () => undefined };
const files = ['statistics.json', 'confidence.json'].map((name) => new JsonFile(path.join(folder, name), log));
const [statisticsFile, confidenceFile] = files as [JsonFile, JsonFile];
const statistics = new Statistics(statisticsFile, new LatencyStats());
const confidence = new LearnedConfidence(confidenceFile);

for (let round = 0; round < Number(times); round += 1) {
  statistics.count('shown');
  confidence.learn('A model', 0.5, true);
  for (const file of files) file.flush();
}
console.log(JSON.stringify(warnings));
