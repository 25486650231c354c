"""The texts of boilerplate, by language and class. They were written for this suite."""

from __future__ import annotations

TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "menu": ("Front page", "Villages", "Rivers and ponds", "Letters", "Calendar"),
        "legal": ("Published by a cooperative of walkers. Reprinting needs a stamp and a kind word.",),
        "comments": (
            "Five readers replied",
            "My aunt kept the keys for years and swore that the lock turned by itself on windy nights.",
            "Lovely photographs, but the map is upside down, or else I have been driving the wrong way since spring.",
            "Could someone tell me where to park a horse box? We are coming over on the last weekend of June.",
            "@Horse box: behind the chapel, but ask the sexton first, he is particular about gravel.",
            "Thank you all. I never expected so many answers from such a quiet corner of the internet.",
        ),
        "related": (
            "You may also like",
            "The postman who refused bicycles",
            "He walked eleven miles a day for forty years and wore out two dogs.",
            "Why our bridges hum in autumn",
            "An engineer listens to railings and hears the temperature.",
            "A museum in a telephone box",
            "Visitors enter one at a time, and most of them come out laughing.",
        ),
        "newsletter": (
            "One letter every Sunday",
            "Long walks, short news and a recipe. You can leave our mailing list whenever you like.",
            "Send me the letter",
        ),
        "next-article": (
            "Next article",
            "The orchard that moved to the roof",
            (
                "When the ground was sold for garages, the gardeners carried their soil upstairs in buckets, floor by floor, and "
                "planted the youngest trees in bathtubs between the chimneys."
            ),
            (
                "Two winters later the first plums were ripe, and the inspector who had come to forbid the garden went home with a "
                "basket on each arm."
            ),
        ),
        "consent": (
            "Your choices about cookies",
            (
                "With your consent, we and our partners store small files on your device to count visits and to choose the "
                "advertisements that you see. You can withdraw your consent on this page at any time."
            ),
            "Agree to everything",
            "Only what is necessary",
        ),
        "share": ("Share this story", "By email", "Messenger", "Copy the link", "Print"),
        "author": (
            "About the author",
            (
                "Harriet Pole has written about mills, ditches and stubborn people since she was expelled from a choir. She lives "
                "on a barge with a stove that smokes."
            ),
        ),
        "teaser": ("Read also:", "What the lock keeper found in the reeds"),
    },
    "de": {
        "menu": ("Startseite", "Dörfer", "Flüsse und Teiche", "Leserbriefe", "Termine"),
        "legal": ("Herausgegeben von einem Verein von Fußgängern. Nachdruck nur gegen eine Ansichtskarte.",),
        "comments": (
            "Vier Leser haben geantwortet",
            "Mein Onkel hatte jahrelang den Schlüssel und behauptete, bei Sturm drehe sich das Schloss von allein.",
            "Schöne Bilder, aber die Karte steht auf dem Kopf, oder ich fahre seit Ostern in die falsche Richtung.",
            "Weiß jemand, wo man dort einen Anhänger abstellen kann? Wir kommen am letzten Wochenende im Juni.",
            "Hinter der Kapelle, aber fragen Sie vorher den Küster, mit dem Kies ist er eigen.",
        ),
        "related": (
            "Das könnte Sie auch interessieren",
            "Der Briefträger, der kein Fahrrad wollte",
            "Vierzig Jahre lang ging er jeden Tag siebzehn Kilometer und verschliss dabei zwei Hunde.",
            "Warum unsere Brücken im Herbst summen",
            "Eine Ingenieurin horcht an Geländern und hört die Temperatur.",
            "Ein Museum in der Telefonzelle",
            "Hinein darf immer nur einer, und die meisten kommen lachend heraus.",
        ),
        "newsletter": (
            "Jeden Sonntag ein Brief",
            "Lange Wege, kurze Nachrichten und ein Rezept. Abbestellen können Sie jederzeit.",
            "Brief bestellen",
        ),
        "next-article": (
            "Nächster Artikel",
            "Der Obstgarten, der aufs Dach zog",
            (
                "Als der Boden für Garagen verkauft wurde, trugen die Gärtner ihre Erde in Eimern nach oben, Stockwerk für "
                "Stockwerk, und setzten die jüngsten Bäume in Badewannen zwischen die Schornsteine."
            ),
            (
                "Zwei Winter später reiften die ersten Pflaumen, und der Beamte, der den Garten verbieten sollte, ging mit einem "
                "Korb an jedem Arm nach Hause."
            ),
        ),
        "consent": (
            "Ihre Entscheidung über Cookies",
            (
                "Mit Ihrer Einwilligung speichern wir und unsere Partner kleine Dateien auf Ihrem Gerät, um Besuche zu zählen und "
                "Werbung auszuwählen. Sie können die Einwilligung hier jederzeit widerrufen."
            ),
            "Allem zustimmen",
            "Nur das Nötige",
        ),
        "share": ("Diesen Beitrag teilen", "Per E-Mail", "Im Messenger", "Adresse kopieren", "Drucken"),
        "author": (
            "Über die Autorin",
            (
                "Hanna Pohl schreibt über Mühlen, Gräben und sture Leute, seit sie aus einem Chor geworfen wurde. Sie wohnt auf "
                "einem Kahn mit einem Ofen, der qualmt."
            ),
        ),
        "teaser": ("Lesen Sie auch:", "Was der Schleusenwärter im Schilf fand"),
    },
    "fr": {
        "menu": ("Accueil", "Villages", "Rivières et étangs", "Courrier", "Agenda"),
        "legal": ("Publié par une coopérative de marcheurs. Reproduction permise contre une carte postale.",),
        "comments": (
            "Quatre lecteurs ont répondu",
            "Ma tante a gardé les clés pendant des années et jurait que la serrure tournait seule les nuits de vent.",
            "Belles photographies, mais la carte est à l'envers, ou bien je roule dans le mauvais sens depuis Pâques.",
            "Quelqu'un sait-il où garer une remorque ? Nous venons le dernier dimanche de juin.",
            "Derrière la chapelle, mais demandez d'abord au sacristain, il tient beaucoup à son gravier.",
        ),
        "related": (
            "À lire également",
            "Le facteur qui refusait la bicyclette",
            "Il a marché dix-sept kilomètres par jour pendant quarante ans et usé deux chiens.",
            "Pourquoi nos ponts bourdonnent en automne",
            "Une ingénieure écoute les rambardes et entend la température.",
            "Un musée dans une cabine téléphonique",
            "On y entre un par un, et la plupart en sortent en riant.",
        ),
        "newsletter": (
            "Une lettre chaque dimanche",
            "De longues promenades, de brèves nouvelles et une recette. Vous pouvez vous désabonner quand vous voulez.",
            "Recevoir la lettre",
        ),
        "next-article": (
            "Article suivant",
            "Le verger qui monta sur le toit",
            (
                "Quand le terrain fut vendu pour y mettre des garages, les jardiniers montèrent leur terre dans des seaux, étage "
                "par étage, et plantèrent les plus jeunes arbres dans des baignoires entre les cheminées."
            ),
            (
                "Deux hivers plus tard, les premières prunes étaient mûres, et l'inspecteur venu interdire le jardin repartit avec "
                "un panier à chaque bras."
            ),
        ),
        "consent": (
            "Votre choix au sujet des cookies",
            (
                "Avec votre consentement, nos partenaires et nous enregistrons de petits fichiers sur votre appareil pour compter "
                "les visites et choisir les publicités. Vous pouvez retirer ce consentement ici à tout moment."
            ),
            "Tout accepter",
            "Le strict nécessaire",
        ),
        "share": ("Partager cet article", "Par courriel", "Messagerie", "Copier le lien", "Imprimer"),
        "author": (
            "À propos de l'autrice",
            (
                "Hélène Pol écrit sur les moulins, les fossés et les gens têtus depuis qu'on l'a renvoyée d'une chorale. Elle vit "
                "sur une péniche dont le poêle fume."
            ),
        ),
        "teaser": ("À lire aussi :", "Ce que l'éclusier a trouvé dans les roseaux"),
    },
    "zh": {
        "menu": ("首页", "村庄", "河流与池塘", "读者来信", "日历"),
        "legal": ("由步行者合作社出版。转载请寄来一张明信片。",),
        "comments": (
            "四位读者留言",
            "我姨妈保管钥匙多年，她发誓说刮风的夜里锁会自己转动。",
            "照片很美，可是地图上下颠倒了，不然就是我从清明以来一直开错了方向。",
            "请问哪里可以停拖车？我们六月最后一个周末过去。",
            "在小庙后面，不过先问问看门的老人，他对那片碎石很讲究。",
        ),
        "related": (
            "相关推荐",
            "不肯骑车的邮差",
            "四十年里他每天步行十七公里，走坏了两条狗的腿脚。",
            "为什么我们的桥在秋天嗡嗡作响",
            "一位工程师贴着栏杆，听出了气温。",
            "电话亭里的博物馆",
            "每次只能进一个人，大多数人出来时都在笑。",
        ),
        "newsletter": ("每个星期天一封信", "长长的散步，短短的消息，还有一道菜谱。随时可以退订。", "订阅来信"),
        "next-article": (
            "下一篇",
            "搬上屋顶的果园",
            "土地卖给人家盖车库以后，园丁们用水桶一层一层地把泥土提上楼，把最小的树苗种在烟囱之间的浴缸里。",
            "过了两个冬天，第一批李子熟了，前来查禁果园的检查员两只胳膊各挎着一个篮子回了家。",
        ),
        "consent": (
            "您对小型文本文件的选择",
            "经您同意，我们和合作伙伴会在您的设备上保存小文件，用来统计访问次数并挑选广告。您可以随时在本页撤回同意。",
            "全部同意",
            "仅限必要",
        ),
        "share": ("分享这篇文章", "电子邮件", "即时通讯", "复制链接", "打印"),
        "author": (
            "关于作者",
            "蒲海兰自从被合唱团开除以后，一直在写磨坊、水沟和固执的人。她住在一条船上，炉子总是冒烟。",
        ),
        "teaser": ("延伸阅读：", "看闸人在芦苇丛里发现了什么"),
    },
}
"""Language -> class of boilerplate, "menu" or "legal" -> its lines."""
