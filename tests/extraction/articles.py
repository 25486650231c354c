"""Articles written for the tests, as HTML that every page design includes."""

from __future__ import annotations

LIGHTHOUSE = """
<h2>Why the tower was moved</h2>
<p>When the engineers first came to the headland, the lighthouse stood ninety metres from the edge of the cliff. Their
survey, finished in the wet spring of the following year, found that the sea took about forty centimetres of clay each
winter. Nobody on the harbour board believed the figure until a storm carried away the old fog signal in one night.</p>
<p>Three plans were drawn. The cheapest left the tower where it was and packed stone against the foot of the cliff. The
second pulled it down and put a steel mast in its place. The third, which the fishermen asked for and the treasurer
feared, was to lift the whole building and roll it inland on rails.</p>
<blockquote><p>A light that has moved is still the light my father steered by. A mast is only a mast.</p></blockquote>
<h2>How it was done</h2>
<p>Workers cut the granite footing into sections and slid oak beams under each. Forty hydraulic jacks raised eleven
hundred tonnes by the width of a hand, and then by another. It took nine days to lift the tower and only five to move
it. The keeper's family stayed inside for the journey; the log book records that not one pane of the lantern cracked,
though a clock stopped.</p>
<table><caption>The move in figures</caption>
<tr><th>Measure</th><th>Before</th><th>After</th></tr>
<tr><td>Distance from the edge</td><td>ninety metres</td><td>four hundred metres</td></tr>
<tr><td>Height of the lamp above the sea</td><td>sixty one metres</td><td>fifty eight metres</td></tr>
</table>
<figure><img src="tower.jpg" alt=""><figcaption>The tower half way along its rails, seen from the chapel roof.</figcaption></figure>
<p>Since then the cliff has lost another thirty metres. A stone ring in the grass marks the place where the tower first
stood; in some years visitors can still walk round it, and in others the path is closed because the ground has begun to
crack. The harbour board, which had opposed the cost, now sells postcards of the rails.</p>
<h2>What was learned</h2>
<ul>
<li>Measure the loss of land for more than one winter before choosing a place.</li>
<li>Cut old masonry with wire rather than with hammers.</li>
<li>Let the people who depend on a building say what it is for.</li>
</ul>
<p>Engineers from four other coasts have copied the method. The longest journey so far, two kilometres across a
salt marsh, was made by a brick tower that weighs half as much again, on rails borrowed from a closed railway.</p>
"""

BREAD = """
<p>A sourdough starter is a small colony of yeast and bacteria that live on flour and water. Feed it at the same hour
each day, throw half of it away first, and within a week it will double in size between two meals. Cooks like to name
their starters; the name matters less than the temperature of the kitchen.</p>
<p>Mix five hundred grams of strong flour with three hundred and fifty of water and leave the dough alone for an
hour. Then add a hundred grams of lively starter and ten of salt. Fold the dough over itself four times, wait half an
hour, and fold it again; after the third round it should feel like a cushion that pushes back.</p>
<p>Shape a ball, put it into a floured basket, cover it, and let it spend the night in the refrigerator. The cold
slows the yeast more than the bacteria, so the loaf gains flavour before it gains height. In the morning heat an iron
pot as hot as the oven allows, tip the dough in, cut its skin once with a sharp blade, and bake it with the lid on for
twenty five minutes and without it for twenty more.</p>
<p>Do not slice it while it is warm. The crumb is still setting, and the knife will drag it into paste. Those who
cannot wait should bake two loaves and call the first one an experiment.</p>
"""

PROTOCOL = """
<p>This note describes how a buoy tells a shore station what it measures. It replaces two older notes, which differed
in the order of the fields and so could not be told apart when a message arrived damaged.</p>
<h2>Terms</h2>
<dl>
<dt>buoy</dt><dd>A floating instrument with a clock, a sensor mast and one radio.</dd>
<dt>station</dt><dd>A receiver on land that keeps the measurements of up to two hundred buoys.</dd>
<dt>watch</dt><dd>The period of six hours in which a buoy speaks once.</dd>
</dl>
<h2>Messages</h2>
<p>Each message begins with the buoy's number and ends with a checksum. Between them stand the measurements in the order
in which the sensors are listed in the buoy's passport. A sensor that gave no value sends the word <code>none</code>; it
must not send zero, since zero is a temperature.</p>
<pre><code>buoy 17 watch 3
  water 11.4
  wind  none
  waves 2.1
checksum 9f</code></pre>
<p>A station that receives a message with a wrong checksum asks for it again, at most three times in one watch. If the
fourth attempt fails as well, the station records a gap. Gaps are published with the measurements: a table that hides
them is worse than no table.</p>
<h2>Clocks</h2>
<p>The clock of a buoy drifts by up to a second each month. Stations therefore write down the time of arrival beside the
time that the buoy claims, and correct the latter when the difference exceeds two seconds. The correction travels back
with the next acknowledgement. A buoy applies it slowly, so that no two measurements ever bear the same time.</p>
<h2>Security</h2>
<p>Anyone with a radio can pretend to be a buoy. Measurements that decide whether ships may leave harbour need a
signature, for which the last field of the passport reserves sixty four bytes. Stations that find an unsigned message
where a signed one was promised treat it as a gap and warn the operator.</p>
<h2>References</h2>
<ol class="references">
<li>Harbour Instruments Committee. Passports for floating sensors. Second edition, 2011.</li>
<li>M. Okafor and L. Brandt. Drift of cheap oscillators in cold water. Notes on Marine Timekeeping 8, 2014.</li>
<li>Shore Station Users. Reading gaps: a guide for people who draw charts. Third printing, 2017.</li>
</ol>
"""

ARTICLES = {
    "lighthouse": ("The lighthouse that walked inland", LIGHTHOUSE),
    "bread": ("A loaf for patient people", BREAD),
    "protocol": ("Messages between buoys and shore stations", PROTOCOL),
}
